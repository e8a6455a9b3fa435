import { quantile } from '#benchmarks/support/quantile.ts'
import { TOKENWIRE, TOKENWIRE_AGAIN, UWS_SEND, WS } from '../arms.ts'
import { subscribeFrame, unsubscribeFrame } from '../connectionPlans.ts'
import type { Scenario } from '../scenario.ts'
import { Session } from '../session.ts'

interface StormSettings {
  readonly connections: number
}

const MEGABYTE = 2 ** 20

/** All clients connect at once, are reset at once, and come back. */
export function storm({ connections }: StormSettings): Scenario {
  return {
    name: `a storm of ${connections} connections`,
    about: `${connections} connections with a subscription each connect as fast as possible, are reset at once, and connect again`,
    arms: [TOKENWIRE, TOKENWIRE_AGAIN, UWS_SEND, WS],
    base: UWS_SEND,
    figures: [
      { name: 'first time', unit: 'ms', better: 'less' },
      { name: 'after the reset', unit: 'ms', better: 'less' },
      { name: 'memory grown by coming back', unit: 'MB', better: 'less' },
    ],
    async measure(arm) {
      const session = await Session.start(arm)
      try {
        const first = await session.open({ connections, subscriptions: connection => [connection % 100] })
        const before = await session.usage({ collect: true })
        await session.load.close(0, connections, { abrupt: true })
        const again = await session.open({ connections, subscriptions: connection => [connection % 100] })
        const after = await session.usage({ collect: true })
        return {
          'first time': first,
          'after the reset': again,
          'memory grown by coming back': (after.rssBytes - before.rssBytes) / MEGABYTE,
        }
      } finally {
        await session.stop()
      }
    },
  }
}

interface ChurnSettings {
  readonly connections: number
  readonly blocks: number
  readonly perSecond: number
}

const EVERY_MS = 50
const ONE_TOKEN = { touched: 1, tokens: 1, size: 'small' } as const
const OTHER_TOKENS = 500

/** One hot token, while its readers subscribe to other tokens and unsubscribe again. */
export function churn({ connections, blocks, perSecond }: ChurnSettings): Scenario {
  const messages = Array.from({ length: Math.ceil((blocks * EVERY_MS * perSecond) / 1_000) }, (_, index) => {
    const connection = Math.floor(index / 2) % connections
    const token = 1 + (Math.floor(index / 2) % OTHER_TOKENS)
    return { connection, bytes: index % 2 === 0 ? subscribeFrame(token) : unsubscribeFrame(token) }
  })
  return {
    name: `churn: ${perSecond} subscriptions and their ends per second during fan-out to ${connections}`,
    about: `${connections} connections watch one token with 20 updates a second; then the same while they subscribe to other tokens and unsubscribe`,
    arms: [TOKENWIRE, TOKENWIRE_AGAIN, UWS_SEND, WS],
    base: UWS_SEND,
    figures: [
      { name: 'p99', unit: 'ms', better: 'less' },
      { name: 'p99 with ÷ without', unit: '', better: 'less' },
    ],
    async measure(arm) {
      const session = await Session.start(arm)
      try {
        await session.open({ connections, subscriptions: () => [0] })
        await session.deliver({ ...ONE_TOKEN, blocks: 40 })
        const calm = await session.feed({ ...ONE_TOKEN, blocks }, EVERY_MS)
        const busy = await session.feed({ ...ONE_TOKEN, blocks }, EVERY_MS, { saying: { messages, perSecond } })
        const p99 = (of: typeof calm) => quantile(of.latenciesMs.toSorted(), 0.99)
        return { p99: p99(busy), 'p99 with ÷ without': p99(busy) / p99(calm) }
      } finally {
        await session.stop()
      }
    },
  }
}
