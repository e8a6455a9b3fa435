import { sql } from 'kysely'
import { firstThreadCpuMs, ownCpuMs } from '#benchmarks/support/processorTime.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { blocksAfterCursor, timeCommit, withCommitter } from './commitCost.ts'
import { askStream } from './load.ts'
import type { GrowthScale } from './scale.ts'
import type { TokenPlan } from './tokenPlan.ts'
import { tradedTokens } from './tradedTokens.ts'

/** Two tokens that graduated: the one with most trades, and one with few. */
export interface HotAndQuiet {
  readonly hot: TokenPlan
  readonly quiet: TokenPlan
}

/** One value per turn, in order. */
export interface InTurns {
  readonly hot: readonly number[]
  readonly quiet: readonly number[]
}

export interface HotTokenTimes {
  /** What each has when it begins. */
  readonly sizes: Readonly<Record<keyof HotAndQuiet, { readonly trades: number; readonly holders: number }>>
  /** From decoded RPC answers to the end of the transaction, with the token's state read. */
  readonly commitMs: InTurns
  /** Of the committing process and of its database backend, for one commit. */
  readonly commitCpuMs: InTurns
}

export interface HotTokenPlan {
  readonly scale: GrowthScale
  readonly turns: number
  readonly tradesPerBlock: number
}

const WARM_UPS = 20
const CANDIDATES = 200

export function hotAndQuiet(scale: GrowthScale): HotAndQuiet {
  const [hot, ...others] = tradedTokens(scale, CANDIDATES)
  const quiet = others.find(({ fate }) => fate === 'migrated')
  if (hot === undefined || quiet === undefined) throw new RangeError('no two tokens that graduated')
  return { hot, quiet }
}

/**
 * Commits blocks that trade only the one token or only the other, in turns. As blocks that catch up, since those of the head also write
 * whatever tokens a trade has left the windows of, which would be the hot one in the turns of the other.
 */
export async function timeHotToken(databaseUrl: string, plan: HotTokenPlan): Promise<HotTokenTimes> {
  const tokens = hotAndQuiet(plan.scale)
  return withCommitter(databaseUrl, async (committer, db) => {
    const sizes = { hot: await sizeOf(db, tokens.hot), quiet: await sizeOf(db, tokens.quiet) }
    const takeBlock = await blocksAfterCursor(committer, plan)
    const commitMs = { hot: [] as number[], quiet: [] as number[] }
    const commitCpuMs = { hot: [] as number[], quiet: [] as number[] }
    for (let turn = -WARM_UPS; turn < plan.turns; turn++) {
      for (const name of order(turn)) {
        const block = takeBlock([tokens[name]])
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
        const cpuMs = () => ownCpuMs() + firstThreadCpuMs(rows[0]?.pid ?? 0)
        const before = cpuMs()
        const ms = await timeCommit(committer, [block], 'catchUp')
        if (turn < 0) continue
        commitMs[name].push(ms)
        commitCpuMs[name].push(cpuMs() - before)
      }
    }
    return { sizes, commitMs, commitCpuMs }
  })
}

/** From the request of an event stream to the token's state, in ms. */
export async function timeSubscriptions(url: string, { scale, turns }: Pick<HotTokenPlan, 'scale' | 'turns'>): Promise<InTurns> {
  const tokens = hotAndQuiet(scale)
  const times = { hot: [] as number[], quiet: [] as number[] }
  for (let turn = -WARM_UPS; turn < turns; turn++) {
    for (const name of order(turn)) {
      const { status, ms } = await askStream(`${url}/api/tokens/${tokens[name].address}/stream`)
      if (status !== 200) throw new Error(`${status} for the stream of ${tokens[name].address}`)
      if (turn >= 0) times[name].push(ms)
    }
  }
  return times
}

/** Each is the first of every second turn. */
function order(turn: number): readonly (keyof HotAndQuiet)[] {
  return turn % 2 === 0 ? ['hot', 'quiet'] : ['quiet', 'hot']
}

async function sizeOf(db: Queryable, { address }: TokenPlan): Promise<{ readonly trades: number; readonly holders: number }> {
  const { rows } = await sql<{ trades: number; holders: number }>`
    select trade_count as trades, holder_count as holders from token where address = ${toBytes(address)}`.execute(db)
  const [row] = rows
  if (row === undefined) throw new RangeError(`no token ${address}`)
  return row
}
