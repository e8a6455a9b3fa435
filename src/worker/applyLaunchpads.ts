import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { monotonicMs as now } from '#clock'
import type { Config, LaunchpadConfig } from '#config'
import { withSchema } from '#domain/databaseUrl.ts'
import { TokenwireError } from '#errors'
import { describePlan } from '#launchpads/describePlan.ts'
import { isIdle, type LaunchpadsPlan, planLaunchpads } from '#launchpads/planLaunchpads.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { LOCKS } from '#store/connection/advisoryLocks.ts'
import { awaitSessionLock } from '#store/connection/awaitSessionLock.ts'
import { createOrm } from '#store/connection/orm.ts'
import { holdSessionLock, type SessionLock } from '#store/connection/sessionLock.ts'
import { createTransaction, type Transaction } from '#store/connection/transaction.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { isRecentBlock, readRecentBlocks } from '#store/rows/cursor.ts'
import { readIdentity } from '#store/rows/identity.ts'
import { readQuoteCurrencies } from '#store/rows/quoteCurrencies.ts'
import { fetchReplacement } from '#sync/fetch/replacement.ts'
import type { ConnectedChain } from './connectChain.ts'
import { restoreDirectoryOf } from './restoreDirectory.ts'
import { openSideIndex, type SideIndex } from './sideIndex.ts'
import { createUnwatchedCommitter } from './unwatchedCommitter.ts'

export interface ApplyLaunchpadsOptions {
  readonly config: Config
  readonly chain: ConnectedChain
  /** URL of the database with the index. */
  readonly url: string
  readonly logger: Logger
  /** Takes a line for the operator. */
  readonly tell: (line: string) => void
}

const LOOK_EVERY_MS = 250

/**
 * Takes an index over to another list of launchpads. What is new or built anew is indexed in a side index while the service goes on
 * with the earlier list. Then it waits until no process indexes, and changes all rows in one transaction.
 *
 * @returns what was done
 * @throws `TokenwireError`: retryable when the chain or the index moved on meanwhile, so that applying again helps
 */
export async function applyLaunchpads(options: ApplyLaunchpadsOptions): Promise<string> {
  const { config, chain, url, logger, tell } = options
  // No limits: the transaction that moves rows may take minutes.
  const orm = createOrm(url, logger, { poolSize: 3, applicationName: 'tokenwire-launchpads', statementTimeoutMs: 0 })
  try {
    const db = orm.em.getKysely<unknown>()
    const identity = await readIdentity(db)
    if (identity === null) throw new TokenwireError('config_invalid', 'DATABASE_URL: there is no index of this version in the database')
    const plan = planLaunchpads(identity.launchpads, chain.launchpads, await readQuoteCurrencies(db))
    if (isIdle(plan)) return 'The index is of this list already.'
    if (config.maxReorgDepth === 0)
      throw new TokenwireError('config_invalid', 'MAX_REORG_DEPTH: 0 leaves no blocks below which a change joins')
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
    const schema = `${String(rows[0]?.schema).slice(0, 40)}_side`
    for (const line of describePlan(plan, null)) tell(line)
    const side = plan.side.length === 0 ? null : await openSide(db, schema, plan, options)
    try {
      await changeWithin({ db, transaction: createTransaction(orm), inForce: identity.launchpads, plan, side, schema }, options)
    } finally {
      await side?.stop()
      await side?.close()
    }
    if (side !== null) await sql`drop schema ${sql.id(schema)} cascade`.execute(db)
    return 'The index is of this list now. Start the service with it.'
  } finally {
    await orm.close(true)
  }
}

/** Goes on with what an earlier attempt has indexed, if that was of the same entries. */
async function openSide(
  db: Kysely<unknown>,
  schema: string,
  { side }: LaunchpadsPlan,
  { config, chain, url, logger }: ApplyLaunchpadsOptions,
): Promise<SideIndex> {
  const sideUrl = withSchema(url, schema)
  await migrate(sideUrl, logger)
  const { rows } = await sql<{ launchpads: readonly LaunchpadConfig[] }>`select launchpads from ${sql.id(schema, 'chain_state')}`.execute(
    db,
  )
  const [stored] = rows
  if (stored !== undefined && !isIdle(planLaunchpads(stored.launchpads, side))) {
    await sql`drop schema ${sql.id(schema)} cascade`.execute(db)
    await migrate(sideUrl, logger)
  }
  return openSideIndex({ config, chain, launchpads: side, url: sideUrl, writer: randomUUID(), now, logger })
}

interface Change {
  readonly db: Kysely<unknown>
  readonly transaction: Transaction
  readonly inForce: readonly LaunchpadConfig[]
  readonly plan: LaunchpadsPlan
  readonly side: SideIndex | null
  readonly schema: string
}

async function changeWithin(change: Change, options: ApplyLaunchpadsOptions): Promise<void> {
  const { db, side } = change
  if (side !== null) await untilInReach(db, side)
  const lock = await takeWriterLock(options)
  try {
    await side?.stop()
    await changeRows(change, options)
  } finally {
    await lock.release()
  }
}

/** Waits until the side index is at a block that the index can go back to. @throws the error that ends its indexing */
async function untilInReach(db: Kysely<unknown>, side: SideIndex): Promise<void> {
  let failure: { readonly error: unknown } | null = null
  void side.gaveUp.then(error => {
    failure = { error }
  })
  const failed = () => failure
  for (;;) {
    const ended = failed()
    if (ended !== null) throw ended.error
    const reached = (await readRecentBlocks(side.db, 1)).at(-1)
    const { rows } = await sql<{ from: number | null }>`select undo_from as from from chain_state`.execute(db)
    const from = rows[0]?.from ?? null
    if (reached !== undefined && ((from !== null && reached.number >= from - 1) || (await isCursor(db, reached.number)))) return
    await delay(LOOK_EVERY_MS)
  }
}

async function isCursor(db: Kysely<unknown>, number: number): Promise<boolean> {
  return (await sql`select from chain_state where cursor_number = ${number}`.execute(db)).rows.length > 0
}

async function takeWriterLock({ url, logger, tell }: ApplyLaunchpadsOptions): Promise<SessionLock> {
  const input = { url, key: LOCKS.writer, applicationName: 'tokenwire-launchpads', what: 'the right to index into the database', logger }
  const outcome = await holdSessionLock(input)
  if (outcome.lock !== null) return outcome.lock
  tell('Everything is indexed. Stop the service, and its standby: the change is made as soon as it has stopped.')
  const lock = await awaitSessionLock(input, new AbortController().signal)
  if (lock === null) throw new TypeError('the wait for the lock ends with the lock')
  return lock
}

async function changeRows(change: Change, { config, chain, logger }: ApplyLaunchpadsOptions): Promise<void> {
  const { db, transaction, inForce, plan, side, schema } = change
  const { source, genesisHash, launchpads } = chain
  const { weth } = config.launchpads
  const writer = randomUUID()
  await sql`update chain_state set writer = ${writer}`.execute(db)
  const cursor = (await readRecentBlocks(db, 1)).at(-1)
  if (cursor === undefined) {
    await sql`update chain_state set launchpads = ${JSON.stringify(launchpads)}::jsonb`.execute(db)
    return
  }
  const ancestor = side === null ? cursor : (await readRecentBlocks(side.db, 1)).at(-1)
  if (ancestor === undefined || !(await isRecentBlock(db, ancestor))) {
    const sentence = 'The index has not reached its side index: start the service again, and then this command.'
    throw new TokenwireError('rpc_inconsistent', sentence, { retryable: true })
  }
  const [joined, moved] = [new Set(plan.joined), new Set([...plan.joined, ...plan.leaving])]
  const stays = new Set(inForce.map(({ name }) => name).filter(name => !moved.has(name)))
  const adapters = createAdapters({ weth, launchpads })
  const directory = await restoreDirectoryOf(adapters, [
    { transaction, launchpads: stays },
    ...(side === null ? [] : [{ transaction: side.transaction, launchpads: joined }]),
  ])
  const replacement = await fetchReplacement({ source, watchlist: directory, ancestor, to: cursor.number, genesisHash })
  const committer = createUnwatchedCommitter({ config, chain, db, transaction, writer, adapters, directory, now, logger })
  const joining = side === null ? null : { schema, names: plan.joined }
  await committer.change(replacement, { leaving: plan.leaving, joining, launchpads })
}
