import { quantile } from '#benchmarks/support/quantile.ts'
import { TOKENWIRE, TOKENWIRE_AGAIN, TOKENWIRE_SSE, UWS_CORK, UWS_PUBLISH, UWS_SEND, WS } from '../arms.ts'
import type { Scenario } from '../scenario.ts'
import { Session } from '../session.ts'

interface LongTailSettings {
  readonly connections: number
  readonly tokens: number
  readonly touched: number
  readonly blocks: number
  /** Tokens per connection. Default 10. */
  readonly tokensEach?: number
}

const EVERY_MS = 250
const TOKENS_EACH = 10

/** Many connections with different tokens: few tokens are watched by many connections, most by few. */
export function longTail({ connections, tokens, touched, blocks, tokensEach = TOKENS_EACH }: LongTailSettings): Scenario {
  return {
    name: `a market: ${connections} connections with ${tokensEach} of ${tokens} tokens, ${touched} touched every ${EVERY_MS} ms`,
    about: `each of ${connections} connections watches ${tokensEach} of ${tokens} tokens with a long tail; ${blocks} blocks at a fixed rate; from commit to receipt`,
    // Event streams have one token each, and with one token per connection a cork has one update.
    arms: [TOKENWIRE, TOKENWIRE_AGAIN, tokensEach === 1 ? TOKENWIRE_SSE : UWS_CORK, UWS_PUBLISH, UWS_SEND, WS],
    base: UWS_PUBLISH,
    figures: [
      { name: 'p99', unit: 'ms', better: 'less' },
      { name: 'p50', unit: 'ms', better: 'less' },
      { name: 'p99.9', unit: 'ms', better: 'less' },
      { name: 'server CPU per delivery', unit: 'µs', better: 'less' },
    ],
    async measure(arm) {
      const session = await Session.start(arm)
      const of = { touched, tokens, size: 'small' } as const
      try {
        await session.open({ connections, subscriptions: connection => drawn(connection, tokens, tokensEach) })
        // Each token once: the first update of a token that is awaited makes its actor.
        await session.deliver({ ...of, blocks: Math.ceil(tokens / touched) })
        const { latenciesMs, serverCpuMs } = await session.feed({ ...of, blocks }, EVERY_MS)
        const sorted = latenciesMs.toSorted()
        return {
          p50: quantile(sorted, 0.5),
          p99: quantile(sorted, 0.99),
          'p99.9': quantile(sorted, 0.999),
          'server CPU per delivery': (serverCpuMs / sorted.length) * 1_000,
        }
      } finally {
        await session.stop()
      }
    },
  }
}

/** The same for every arm and run: the n-th most popular token is watched about 1/n as often as the first. */
function drawn(connection: number, tokens: number, count: number): readonly number[] {
  const chosen = new Set<number>()
  let state = connection * 2_654_435_761 + 1
  while (chosen.size < count) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    chosen.add(Math.min(tokens - 1, Math.floor(tokens ** (state / 2 ** 32)) - 1))
  }
  return [...chosen]
}
