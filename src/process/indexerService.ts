import { createThreadFeed } from '#bus/blockFeed.ts'
import { announceReports } from '#bus/indexerReport.ts'
import type { NatsOutlet } from '#bus/natsFeed.ts'
import { openNatsOutlet } from '#bus/openNats.ts'
import { followsSwitches, type Queryable, readCurrentSchema, readServedSchema } from '#store/connection/databaseSchema.ts'
import type { Indexing, StartedThread } from '#worker/startIndexing.ts'
import { withLiveLaunchpads } from './gatewayService.ts'
import { type LockedDatabase, writerChangedError } from './indexerDatabase.ts'
import type { RoleOptions, StartedRole } from './run.ts'
import { serve } from './serve.ts'
import { requireWebhooks, type StartWebhooksOptions, startWebhooks } from './startWebhooks.ts'
import { watchLaunchpads } from './watchFile.ts'
import { watchRefusal } from './watchRefusal.ts'
import { switchedError, watchServedSchema } from './watchServedSchema.ts'

export interface IndexerOptions extends RoleOptions, LockedDatabase {
  readonly thread: StartedThread
}

/**
 * Starts a process that indexes and serves: it opens the chain, announces its commits to the gateways of its database, and serves them to
 * clients of its own. Indexing begins with the first subscription to the blocks.
 *
 * @throws `TokenwireError` with the reason
 */
export async function startIndexer(options: IndexerOptions): Promise<StartedRole> {
  const { thread, databaseUrl, reading, onStop, onFailure } = options
  const db = reading.em.getKysely<unknown>()
  onStop(watchRefusal({ db: () => db, onFailure }))
  if (followsSwitches(databaseUrl)) {
    const schema = await readServedSchema(db)
    const onSwitch = async (served: string) => onFailure(switchedError(served))
    onStop(watchServedSchema({ db: () => db, current: () => schema, onSwitch, logger: options.logger }))
  }
  const writing = await openWriting({ ...options, db })

  const config = withLiveLaunchpads(options.config, writing.launchpads)
  requireWebhooks(config)
  onStop(watchLaunchpads({ file: config.launchpadsFile, onChanged: thread.want, logger: options.logger }))
  const schemaName = await readCurrentSchema(db)
  const known = { ...options, config, db, chainId: writing.chainId }
  const feed = createThreadFeed(writing)
  const { url, ethUsd } = await serve({ ...known, schema: () => schemaName, onPrice: writing.priced, feed, indexer: writing.view })
  // Misses no block: the first one arrives in a later turn of the event loop than the one in which serving began.
  writing.begin({ ...known, ethUsd })
  return { url, databaseUrl }
}

export interface Writing extends Indexing {
  /** Announces the commits from here on, and sends webhooks. Indexing begins, unless it has begun. */
  begin(options: Omit<StartWebhooksOptions, 'view'>): void
}

export interface WritingOptions extends RoleOptions {
  readonly thread: StartedThread
  readonly databaseUrl: string
  readonly db: Queryable
}

/**
 * Opens the index as its one writer, and reports the state of indexing to gateways until it stops or another process has become the
 * writer. Its view shows what is wrong with webhooks and with the database's notifications, too.
 */
export async function openWriting(options: WritingOptions): Promise<Writing> {
  const { config, thread, databaseUrl, db, logger, onStop, onFailure } = options
  // Registered a second time, so that the thread is closed before the database.
  onStop(() => thread.close())
  const indexing = await thread.open(databaseUrl)
  const { chainId, writer, writerChanged, blocks } = indexing
  if (config.standby) void writerChanged.then(() => onFailure(writerChangedError()))

  let outlet: NatsOutlet | null = null
  let webhooks: ReturnType<typeof startWebhooks> = null
  const { view } = indexing
  const carrier = () => (outlet === null ? {} : { natsConnected: outlet.isConnected() })
  const reports = announceReports(db, () => ({ writer, state: view.state(), chain: view.chain(), ...carrier() }))
  onStop(reports.stop)
  void writerChanged.then(reports.stop)
  outlet = await openNatsOutlet({ config, chainId, writer, db, logger, onStop })
  const state = () => {
    const { problems, ...shown } = view.state()
    return { ...shown, problems: [...problems, ...reports.problems(), ...(webhooks?.problems() ?? [])] }
  }
  return {
    ...indexing,
    view: { ...view, state },
    begin: known => {
      blocks.subscribe(block => outlet?.publish(block))
      webhooks = startWebhooks({ ...known, view })
      blocks.subscribe(({ number }) => webhooks?.changed(number))
    },
  }
}
