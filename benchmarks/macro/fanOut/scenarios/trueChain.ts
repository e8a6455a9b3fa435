import { setTimeout as pause } from 'node:timers/promises'
import { Load } from '#benchmarks/load/load.ts'
import { tokenPlan } from '#benchmarks/load/tokenPlan.ts'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import { observeService } from '#benchmarks/support/observedCommits.ts'
import { quantile } from '#benchmarks/support/quantile.ts'
import { startTradedChain, type TradedChain } from '#benchmarks/support/tradedChain.ts'
import type { Address } from '#domain/address.ts'
import type { Service } from '#test/support/service.ts'
import { TOKENWIRE } from '../arms.ts'
import type { Figures, Scenario } from '../scenario.ts'

interface TrueChainSettings {
  readonly connections: number
  readonly blocks: number
  /** Default 40. */
  readonly warmUpBlocks?: number
}

const TOKENS = 20
/** Tokens per connection. */
const TOKENS_EACH = 5
/** Traded tokens per block. */
const TRADED = 10
const EVERY_MS = 250
const RECEIVE_TIMEOUT_MS = 300_000

/** The whole service with its indexer, a database and a chain. */
export function trueChain({ connections, blocks, warmUpBlocks = 40 }: TrueChainSettings): Scenario {
  return {
    name: `the true indexer and chain, ${connections} connections`,
    about: `npm start with its database, on anvil: ${blocks} blocks with trades of ${TRADED} tokens each, some ${EVERY_MS} ms apart; ${connections} connections watch ${TOKENS_EACH} of ${TOKENS} tokens`,
    arms: [TOKENWIRE],
    base: TOKENWIRE,
    maxRounds: 2,
    figures: [
      { name: 'commit to receipt, p50', unit: 'ms', better: 'less' },
      { name: 'p99', unit: 'ms', better: 'less' },
      { name: 'p99.9', unit: 'ms', better: 'less' },
      { name: 'mined to commit, p50', unit: 'ms', better: 'less' },
      { name: 'deliveries', unit: '', better: 'more' },
    ],
    async measure() {
      const chain = await startTradedChain(TOKENS)
      try {
        return await onChain(chain, { connections, blocks, warmUpBlocks })
      } finally {
        await chain.stop()
      }
    },
  }
}

async function onChain(chain: TradedChain, settings: Required<TrueChainSettings>): Promise<Figures> {
  const service = await chain.startObserved({})
  const load = await Load.start()
  try {
    return await withClients({ chain, service, load }, settings)
  } finally {
    await load.stop()
    await service.stop()
  }
}

interface Running {
  readonly chain: TradedChain
  readonly service: Service
  readonly load: Load
}

async function withClients(
  { chain, service, load }: Running,
  { connections, blocks, warmUpBlocks }: Required<TrueChainSettings>,
): Promise<Figures> {
  const commits = observeService(service)
  await service.indexed(await chain.head())
  const port = Number(new URL(service.url).port)
  await load.connect(
    port,
    Array.from({ length: connections }, (_, connection) => tokenPlan(port, tokensOf(connection, chain.tokens))),
  )
  /** Trades, and waits until every update has come. */
  const deliver = async (count: number) => {
    await load.begin()
    const mined = await trade(chain, count)
    await commits.of(Math.max(...mined.keys()), RECEIVE_TIMEOUT_MS)
    // Later commits of a block are of what was learned of its tokens, and read no states.
    const measured = commits.all.filter(({ block, sequences }) => mined.has(block) && sequences.length > 0)
    // Each token has connections × TOKENS_EACH ÷ TOKENS subscribers.
    const due = (measured.reduce((sum, { sequences }) => sum + sequences.length, 0) * connections * TOKENS_EACH) / TOKENS
    const { receipts: came } = await load.wait(due, RECEIVE_TIMEOUT_MS)
    return { mined, measured, due, came }
  }
  await deliver(warmUpBlocks)
  const { mined, measured, due, came } = await deliver(blocks)
  if (came !== due) throw new Error(`${due} updates were due, ${came} came`)
  const receipts = await load.receipts()
  const committedAtMs = new Map(measured.flatMap(({ sequences, committedAtMs: at }) => sequences.map(sequence => [sequence, at] as const)))
  const latencies = Float64Array.from({ length: receipts.count }, (_, index) => {
    const at = committedAtMs.get(receipts.sequence(index))
    if (at === undefined) throw new Error(`no commit has ${receipts.sequence(index)}`)
    return receipts.atMs(index) - at
  }).toSorted()
  const toCommit = Float64Array.from(measured, ({ block, committedAtMs: at }) => at - (mined.get(block) ?? at)).toSorted()
  return {
    'commit to receipt, p50': quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    'p99.9': quantile(latencies, 0.999),
    'mined to commit, p50': quantile(toCommit, 0.5),
    deliveries: receipts.count,
  }
}

/** Mines blocks with trades. @returns the time at which the node had each block, by number */
async function trade(chain: TradedChain, blocks: number): Promise<ReadonlyMap<number, number>> {
  const mined = new Map<number, number>()
  for (let block = 0; block < blocks; block++) {
    const dueAtMs = monotonicMs() + EVERY_MS
    const { number, minedAtMs } = await chain.trade(Array.from({ length: TRADED }, (_, n) => (block * TRADED + n) % TOKENS))
    mined.set(number, minedAtMs)
    await pause(Math.max(0, dueAtMs - monotonicMs()))
  }
  return mined
}

function tokensOf(connection: number, tokens: readonly Address[]): readonly Address[] {
  return tokens.filter((_, index) => index % (TOKENS / TOKENS_EACH) === connection % (TOKENS / TOKENS_EACH))
}
