import type { Benchmark, Figures } from '#benchmarks/harness/benchmark.ts'
import { quantile } from '#benchmarks/harness/quantile.ts'
import type { UpdateSize } from './feed.ts'
import type { ServerKind } from './feedServer.ts'
import { inSession } from './serverArms.ts'
import type { Session } from './session.ts'

/** The first is the base of ratios; the last is the same code as the second, and shows the noise. */
const ARMS: readonly (readonly [name: string, kind: ServerKind, delta: boolean])[] = [
  ['full updates', 'tokenwire', false],
  ['deltas', 'tokenwire', true],
  ['bare uWebSockets.js, full updates', 'uws', false],
  ['bare uWebSockets.js, the bytes of deltas', 'uws, deltas', true],
  ['deltas, again', 'tokenwire', true],
]

interface DeltaSettings {
  readonly size: UpdateSize
  readonly connections: number
  readonly blocks: number
}

/** Tokens of which each connection watches ten. */
const TOKENS = 100
const TOKENS_EACH = 10
const TIMED_BLOCKS = 50
const EVERY_MS = 50

/** The same changing states to clients of full updates and of deltas. */
export function deltas({ size, connections, blocks }: DeltaSettings): Benchmark {
  return {
    name: `deltas of a ${size} token, ${connections} subscribers`,
    about: `${connections} connections watch one token with ${blocks} updates as fast as they arrive, then ${TIMED_BLOCKS} at 20/s; then as many connections watch ${TOKENS_EACH} of ${TOKENS} tokens`,
    figures: [
      { name: 'bytes per delivery', unit: 'bytes', better: 'less' },
      { name: 'server CPU per delivery', unit: 'µs', better: 'less' },
      { name: 'p50 at 20/s', unit: 'ms', better: 'less' },
      { name: 'p99 at 20/s', unit: 'ms', better: 'less' },
      { name: 'memory per subscription', unit: 'bytes', better: 'less' },
    ],
    arms: ARMS.map(([name, kind, delta]) => ({
      name,
      measure: async () => ({
        ...(await inSession(kind, session => hotToken(session, { size, connections, blocks, delta }))),
        'memory per subscription': await inSession(kind, session => memory(session, { size, connections, delta })),
      }),
    })),
  }
}

async function hotToken(
  session: Session,
  { size, connections, blocks, delta }: DeltaSettings & { readonly delta: boolean },
): Promise<Figures> {
  const oneToken = { touched: 1, tokens: 1, size, blocks }
  await session.open({ connections, subscriptions: () => [0], delta })
  await session.deliver(oneToken, { window: 2 })
  const before = await session.load.count(0, connections)
  const { serverCpuMs } = await session.deliver(oneToken, { window: 2 })
  const after = await session.load.count(0, connections)
  const sorted = (await session.feed({ ...oneToken, blocks: TIMED_BLOCKS }, EVERY_MS)).latenciesMs.toSorted()
  return {
    'bytes per delivery': (after.bytes - before.bytes) / (connections * blocks),
    'server CPU per delivery': (serverCpuMs / (connections * blocks)) * 1_000,
    'p50 at 20/s': quantile(sorted, 0.5),
    'p99 at 20/s': quantile(sorted, 0.99),
  }
}

/** Objects and buffers after each subscription was sent three updates. */
async function memory(
  session: Session,
  { size, connections, delta }: Omit<DeltaSettings, 'blocks'> & { readonly delta: boolean },
): Promise<number> {
  const before = await session.usage({ collect: true })
  await session.open({
    connections,
    subscriptions: n => Array.from({ length: TOKENS_EACH }, (_, i) => (n * TOKENS_EACH + i) % TOKENS),
    delta,
  })
  await session.deliver({ touched: TOKENS, tokens: TOKENS, size, blocks: 3 })
  const after = await session.usage({ collect: true })
  return (after.heapBytes - before.heapBytes) / (connections * TOKENS_EACH)
}
