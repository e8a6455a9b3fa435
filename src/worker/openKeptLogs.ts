import type { MikroORM } from '@mikro-orm/postgresql'
import type { Logger } from 'pino'
import type { Config } from '#config'
import { TokenwireError } from '#errors'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { startError } from '#store/connection/databaseErrors.ts'
import { createOrm } from '#store/connection/orm.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { createKeptTables, hasKeptTables, requireKeptChain } from '#store/keptLogs.ts'
import type { ChainFacts } from '#sync/committer.ts'
import { createKeptFacts } from '#sync/kept/keptFacts.ts'
import { createKeptSource, createKeptWriter, keptLaunchpad } from '#sync/kept/keptLogs.ts'
import type { SyncOptions } from '#sync/sync.ts'
import type { ConnectedChain } from './connectChain.ts'

export interface KeptLogsOptions {
  readonly config: Pick<Config, 'keepLogs' | 'logsFrom' | 'verifyLogs'>
  readonly chain: Pick<ConnectedChain, 'source' | 'chainId' | 'genesisHash'>
  readonly orm: MikroORM
  /** The launchpads that the index follows. */
  readonly adapters: readonly LaunchpadAdapter[]
  readonly logger: Logger
}

export interface OpenedKeptLogs {
  readonly ranges: NonNullable<SyncOptions['ranges']>
  readonly facts: ChainFacts
  /** The newest block up to which logs are kept, -1 without any; `null`: nothing is kept. */
  readonly readEnd: (() => Promise<number>) | null
  /** Resolves when everything is written and closed. */
  close(): Promise<void>
}

/**
 * What ranges are fetched from: kept logs of this database and of `LOGS_FROM`, and the chain.
 *
 * @throws `TokenwireError` `database_foreign` for kept logs of another chain, `database_unavailable` and `config_invalid` for `LOGS_FROM`
 */
export async function openKeptLogs({ config, chain, orm, adapters, logger }: KeptLogsOptions): Promise<OpenedKeptLogs> {
  const { source } = chain
  const own = (await prepareOwn({ config, chain, orm, logger })) ? orm.em.getKysely<unknown>() : null
  const other = config.logsFrom === null ? null : await openOther(config.logsFrom, chain, logger)
  const from = other?.em.getKysely<unknown>() ?? null
  const databases = [own, from].filter(db => db !== null)
  const isProven = config.verifyLogs === 'receipts'
  const into = config.keepLogs ? own : null
  const writer = into === null ? null : createKeptWriter({ db: into, isProven, logger })
  const launchpads = adapters.map(keptLaunchpad)
  const facts = createKeptFacts({ facts: source, databases, into, logger })
  return {
    ranges: databases.length === 0 ? source : createKeptSource({ source, databases, launchpads, needsProof: isProven, writer }),
    facts: databases.length === 0 ? source : facts,
    readEnd: writer && (async () => (await writer.endOf(launchpads)) ?? -1),
    close: async () => {
      await Promise.all([writer?.settled(), facts.settled()])
      await other?.close(true)
    },
  }
}

/** Whether this database has, or from now on has, tables for kept logs. */
async function prepareOwn({ config, chain, orm, logger }: Omit<KeptLogsOptions, 'adapters'>): Promise<boolean> {
  const db = orm.em.getKysely<unknown>()
  if (!config.keepLogs) {
    if (!(await hasKeptTables(db))) return false
    await requireKeptChain(db, chain, 'DATABASE_URL')
    return true
  }
  try {
    await createKeptTables(createTransaction(orm), chain, 'DATABASE_URL')
    return true
  } catch (error) {
    if (error instanceof TokenwireError) throw error
    const remedy = 'let the role create schemas (grant create on database), or set KEEP_LOGS=false'
    logger.warn({ err: error }, `KEEP_LOGS: the schema for kept logs can't be created, so nothing is kept; ${remedy}`)
    return false
  }
}

async function openOther(url: string, chain: KeptLogsOptions['chain'], logger: Logger): Promise<MikroORM> {
  const orm = createOrm(url, logger, { poolSize: 2, applicationName: 'tokenwire-logs', isStandbyWanted: true })
  try {
    const db = orm.em.getKysely<unknown>()
    if (!(await hasKeptTables(db)))
      throw new TokenwireError('config_invalid', 'LOGS_FROM: the database has no kept logs; set another one, or none')
    await requireKeptChain(db, chain, 'LOGS_FROM')
    return orm
  } catch (error) {
    await orm.close(true)
    throw startError(error, { url, setting: 'LOGS_FROM' })
  }
}
