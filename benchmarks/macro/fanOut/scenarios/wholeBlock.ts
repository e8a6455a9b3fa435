import { median } from '#benchmarks/support/quantile.ts'
import { LIMIT, LIMIT_16_KB, SOCKET_IO, TOKENWIRE, TOKENWIRE_AGAIN, TOKENWIRE_SSE, UWS_CORK, UWS_PUBLISH, UWS_SEND, WS } from '../arms.ts'
import type { Goal, Scenario } from '../scenario.ts'
import { Session } from '../session.ts'

interface WholeBlockSettings {
  readonly connections: number
  readonly tokens: number
  readonly blocks: number
  /** Tokens per connection. Default: all. An event stream has one. */
  readonly tokensEach?: 1
}

const ARMS = [TOKENWIRE, TOKENWIRE_AGAIN, UWS_PUBLISH, UWS_SEND, UWS_CORK, WS, SOCKET_IO, LIMIT_16_KB, LIMIT]
const ONE_EACH_ARMS = [TOKENWIRE, TOKENWIRE_AGAIN, TOKENWIRE_SSE, UWS_PUBLISH, UWS_SEND, WS]

const GOALS: readonly Goal[] = [
  { figure: 'to the last client', of: TOKENWIRE.name, to: UWS_PUBLISH.name, ratio: 1 },
  { figure: 'to the last client', of: TOKENWIRE.name, to: WS.name, ratio: 0.25 },
  { figure: 'to the last client', of: TOKENWIRE.name, to: SOCKET_IO.name, ratio: 0.25 },
]

/** A block that touches all watched tokens. */
export function wholeBlock({ connections, tokens, blocks, tokensEach }: WholeBlockSettings): Scenario {
  const all = Array.from({ length: tokens }, (_, index) => index)
  return {
    name: `a block of ${tokens} tokens${tokensEach === undefined ? '' : ', one'} for each of ${connections} connections`,
    about: `${connections} connections watch ${tokensEach === undefined ? 'the same' : 'one of'} ${tokens} tokens, and a block touches all of them; from commit to the last update at the last client`,
    arms: tokensEach === undefined ? ARMS : ONE_EACH_ARMS,
    base: UWS_PUBLISH,
    figures: [
      { name: 'to the last client', unit: 'ms', better: 'less' },
      { name: 'server turn', unit: 'ms', better: 'less' },
      { name: 'server CPU per delivery', unit: 'µs', better: 'less' },
      { name: 'load CPU', unit: '', better: 'less' },
    ],
    goals: tokensEach === undefined ? GOALS : [],
    async measure(arm) {
      const session = await Session.start(arm)
      const of = { touched: tokens, tokens, size: 'small' } as const
      try {
        await session.open({ connections, subscriptions: connection => (tokensEach === undefined ? all : [connection % tokens]) })
        await session.deliver({ ...of, blocks: Math.ceil(blocks / 2) })
        const { receipts, commits, serverCpuMs, loadCpuMs, tookMs, latenciesMs } = await session.deliver({ ...of, blocks })
        const perBlock = connections * (tokensEach ?? tokens)
        const last = commits.map((_, block) =>
          latenciesMs.subarray(block * perBlock, (block + 1) * perBlock).reduce((a, b) => Math.max(a, b), 0),
        )
        return {
          'to the last client': median(last),
          'server turn': median(commits.map(({ turnMs }) => turnMs)),
          ...(arm.server === 'limit' ? {} : { 'server CPU per delivery': (serverCpuMs / receipts.count) * 1_000 }),
          'load CPU': loadCpuMs / tookMs,
        }
      } finally {
        await session.stop()
      }
    },
  }
}
