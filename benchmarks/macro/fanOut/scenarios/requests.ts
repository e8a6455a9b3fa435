import { probeRequests } from '#benchmarks/load/requestProbe.ts'
import { quantile } from '#benchmarks/support/quantile.ts'
import { TOKENWIRE, TOKENWIRE_AGAIN, UWS_SEND } from '../arms.ts'
import type { Scenario } from '../scenario.ts'
import { Session } from '../session.ts'

interface RequestsSettings {
  readonly connections: number
  readonly blocks: number
}

const EVERY_MS = 500
const REQUEST_EVERY_MS = 10
const ONE_TOKEN = { touched: 1, tokens: 1, size: 'small' } as const

/** How long HTTP requests wait while a hot token's update is written. */
export function requestsMeanwhile({ connections, blocks }: RequestsSettings): Scenario {
  return {
    name: `requests during fan-out to ${connections}`,
    about: `GET /healthz every ${REQUEST_EVERY_MS} ms, while ${connections} connections watch one token with ${blocks} updates, one every ${EVERY_MS} ms`,
    arms: [TOKENWIRE, TOKENWIRE_AGAIN, UWS_SEND],
    base: UWS_SEND,
    figures: [
      { name: 'request p99', unit: 'ms', better: 'less' },
      { name: 'request p50', unit: 'ms', better: 'less' },
      { name: 'update p50', unit: 'ms', better: 'less' },
      { name: 'update p99', unit: 'ms', better: 'less' },
      { name: 'server CPU per delivery', unit: 'µs', better: 'less' },
    ],
    async measure(arm) {
      const session = await Session.start(arm)
      try {
        await session.open({ connections, subscriptions: () => [0] })
        await session.deliver({ ...ONE_TOKEN, blocks: 6 })
        const probe = probeRequests(`http://127.0.0.1:${session.port}/healthz`, REQUEST_EVERY_MS)
        const { latenciesMs, serverCpuMs } = await session.feed({ ...ONE_TOKEN, blocks }, EVERY_MS)
        const requests = (await probe.end()).toSorted((a, b) => a - b)
        const updates = latenciesMs.toSorted()
        return {
          'request p99': quantile(requests, 0.99),
          'request p50': quantile(requests, 0.5),
          'update p50': quantile(updates, 0.5),
          'update p99': quantile(updates, 0.99),
          'server CPU per delivery': (serverCpuMs / updates.length) * 1_000,
        }
      } finally {
        await session.stop()
      }
    },
  }
}
