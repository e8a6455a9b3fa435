import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config, LaunchpadsConfig } from '#config'
import { TokenwireError } from '#errors'
import { describeChanges, isIdle, type LaunchpadsPlan, planLaunchpads } from '#launchpads/planLaunchpads.ts'
import { ADAPTER_KINDS, createAdapters, withVersions } from '#launchpads/registry.ts'
import { toStartError } from '#store/connection/databaseErrors.ts'
import { createOrm } from '#store/connection/orm.ts'
import { readQuoteCurrencies } from '#store/rows/currencies.ts'
import { readRecentBlocks, requireChain } from '#store/rows/cursor.ts'
import { type ListInForce, readListInForce } from '#store/rows/listInForce.ts'
import { missingSideRight } from '#store/switchSchema.ts'
import { type Cause, inOwnWords } from '#sync/health.ts'
import { type ConnectedChain, completeContracts } from './connectChain.ts'
import { findMissingContracts } from './openIndexing.ts'

export type PlannedEdit =
  | { readonly kind: 'none'; readonly plan: LaunchpadsPlan }
  /** It can't be applied. */
  | { readonly kind: 'refused'; readonly cause: Cause }
  | {
      readonly kind: 'change'
      readonly plan: LaunchpadsPlan
      /** The plan for people. */
      readonly lines: readonly string[]
      /** The list afterwards. */
      readonly list: Pick<ListInForce, 'launchpads' | 'pegUsd'>
      /** Nothing is indexed yet. */
      readonly isEmpty: boolean
    }

export interface PlanEditOptions {
  /** `launchpads`: of the index, whose `weth` stays. */
  readonly config: Pick<Config, 'maxReorgDepth'> & { readonly launchpads: Pick<LaunchpadsConfig, 'weth'> }
  readonly chain: Pick<ConnectedChain, 'rpc'>
  readonly db: Kysely<unknown>
  readonly inForce: ListInForce
  /** As `launchpads.json` has it. */
  readonly wanted: LaunchpadsConfig
}

/**
 * What a wanted list asks of the index.
 *
 * @throws `RpcError` when no provider answers; the database's errors
 */
export async function planEdit({ config, chain, db, inForce, wanted }: PlanEditOptions): Promise<PlannedEdit> {
  const { weth } = config.launchpads
  if (wanted.weth !== weth)
    return refused(
      `weth has changed from ${weth} to ${wanted.weth}, and an index is of one WETH: point DATABASE_URL or SCHEMA at another one`,
    )
  const completed = await completeOrSay(chain, wanted)
  if (typeof completed === 'string') return refused(completed)
  const plan = planLaunchpads(inForce, { ...wanted, launchpads: completed }, await readQuoteCurrencies(db))
  if (isIdle(plan)) return { kind: 'none', plan }
  const joined = new Set(plan.joined)
  const entries = completed.filter(({ name }) => joined.has(name))
  const [missing] = await findMissingContracts(chain.rpc, createAdapters({ weth, launchpads: entries }))
  if (missing !== undefined) return refused(`${missing.launchpad}: the chain has no contract at ${missing.address}`)
  const isEmpty = (await readRecentBlocks(db, 1)).length === 0
  const needsSide = plan.side.length > 0 && !isEmpty
  if (needsSide && config.maxReorgDepth === 0 && !isWhole(plan, inForce))
    return refused('with MAX_REORG_DEPTH=0 there is no block to which launchpads could be added')
  const lacking = needsSide ? await missingSideRight(db) : null
  if (lacking !== null) return { kind: 'refused', cause: { shown: NO_SIDE_SCHEMA, full: lacking } }
  const before = new Map(inForce.launchpads.map(entry => [entry.name, entry]))
  const launchpads = withVersions(completed).map(entry => (joined.has(entry.name) ? entry : (before.get(entry.name) ?? entry)))
  return { kind: 'change', plan, lines: describeChanges(plan, null), list: { launchpads, pegUsd: wanted.pegUsd ?? [] }, isEmpty }
}

/** Whether a side index is built, and nothing stays of what is indexed. */
export function isWhole({ leaving, side }: LaunchpadsPlan, { launchpads }: Pick<ListInForce, 'launchpads'>): boolean {
  return side.length > 0 && launchpads.every(({ name }) => leaving.includes(name))
}

const refused = (sentence: string): PlannedEdit => ({ kind: 'refused', cause: inOwnWords(sentence) })

/** Without the names of the role and the database. */
const NO_SIDE_SCHEMA =
  "the database's role may not create the schema in which launchpads are indexed before they join: grant create on the database to it"

/** @returns the entries with the contracts that they leave out, or a sentence about one that is not found */
async function completeOrSay(
  { rpc }: PlanEditOptions['chain'],
  { launchpads }: LaunchpadsConfig,
): Promise<LaunchpadsConfig['launchpads'] | string> {
  try {
    return await completeContracts(rpc, launchpads, ADAPTER_KINDS)
  } catch (error) {
    if (!(error instanceof TokenwireError) || error.code !== 'config_invalid') throw error
    return error.message.replace(/^LAUNCHPADS_FILE: /, '')
  }
}

export interface CheckDatabaseOptions {
  readonly databaseUrl: string
  readonly chain: Pick<ConnectedChain, 'chainId' | 'genesisHash' | 'launchpads'>
  readonly launchpads: LaunchpadsConfig
  readonly logger: Logger
}

/**
 * Finds out what would prevent a process from indexing later.
 *
 * @returns what `launchpads.json` would change in the index, a line per launchpad
 * @throws `TokenwireError` `database_foreign`, `database_unavailable`
 */
export async function checkDatabase({ databaseUrl, chain, launchpads, logger }: CheckDatabaseOptions): Promise<readonly string[]> {
  const orm = createOrm(databaseUrl, logger, { poolSize: 1 })
  const { chainId, genesisHash } = chain
  const { weth, pegUsd } = launchpads
  try {
    const db = orm.em.getKysely<unknown>()
    await requireChain(db, { chainId, genesisHash, weth })
    return describeChanges(planLaunchpads(await readListInForce(db), { launchpads: chain.launchpads, pegUsd }), null)
  } catch (error) {
    throw toStartError(error, { url: databaseUrl, setting: 'DATABASE_URL' })
  } finally {
    await orm.close(true)
  }
}
