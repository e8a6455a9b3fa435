import type { Logger } from 'pino'
import { createThreadFeed } from '#bus/blockFeed.ts'
import { announceReports, type ReportsAnnounced } from '#bus/indexerReport.ts'
import type { NatsOutlet } from '#bus/natsFeed.ts'
import { openNatsOutlet } from '#bus/openNats.ts'
import type { Config } from '#config'
import { followsSwitches, type Queryable, readCurrentSchema, readServedSchema } from '#store/connection/databaseSchema.ts'
import type { Indexing, StartedThread } from '#worker/startIndexing.ts'
import { withLiveLaunchpads } from './gatewayService.ts'
import { type LockedDatabase, writerChangedError } from './indexerDatabase.ts'
import type { RoleOptions, StartedRole } from './run.ts'
import { serve } from './serve.ts'
import { requireWebhooks, startWebhooks } from './startWebhooks.ts'
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
  // Registered a second time, so that the thread is closed before the database.
  onStop(() => thread.close())
  const indexing = await thread.open(databaseUrl)
  if (options.config.standby) void indexing.writerChanged.then(() => onFailure(writerChangedError()))

  const { chainId, blocks } = indexing
  let webhooks: ReturnType<typeof startWebhooks> = null
  let notifying = (): readonly string[] => []
  const view = withProblems(indexing.view, () => [...notifying(), ...(webhooks?.problems() ?? [])])
  const db = reading.em.getKysely<unknown>()
  onStop(watchRefusal({ db: () => db, onFailure }))
  if (followsSwitches(databaseUrl)) {
    const schema = await readServedSchema(db)
    const onSwitch = async (served: string) => onFailure(switchedError(served))
    onStop(watchServedSchema({ db: () => db, current: () => schema, onSwitch, logger: options.logger }))
  }
  const { outlet, problems } = await announceIndexer({ ...indexing, view }, { ...options, db })
  notifying = problems

  const config = withLiveLaunchpads(options.config, indexing.launchpads)
  requireWebhooks(config)
  onStop(watchLaunchpads({ file: config.launchpadsFile, onChanged: thread.want, logger: options.logger }))
  const schemaName = await readCurrentSchema(db)
  const known = { ...options, config, chainId, schema: () => schemaName, onPrice: indexing.priced }
  const { url, ethUsd } = await serve({ ...known, db, feed: createThreadFeed(indexing), indexer: view })
  webhooks = startWebhooks({ ...known, db, ethUsd, view: indexing.view })
  // Misses no block: the first one arrives in a later turn of the event loop than the one in which serving began.
  if (outlet !== null) blocks.subscribe(outlet.publish)
  blocks.subscribe(({ number }) => webhooks?.changed(number))
  return { url, databaseUrl }
}

/** The view of the indexing thread, with problems of what else this process does. */
export function withProblems<View extends Pick<Indexing['view'], 'state'>>(view: View, problems: () => readonly string[]): View {
  return {
    ...view,
    state: () => {
      const state = view.state()
      return { ...state, problems: [...state.problems, ...problems()] }
    },
  }
}

export interface AnnounceIndexerOptions {
  readonly config: Pick<Config, 'nats'>
  readonly db: Queryable
  readonly logger: Logger
  readonly onStop: (stop: () => Promise<void> | void) => void
}

/**
 * Reports the state of this process's indexing to gateways, until it stops or another process has become the writer, and opens its end
 * of NATS.
 *
 * @returns what publishes commits over NATS (`null` where `NATS_URL` is not set), and what is wrong with the database's notifications
 */
export async function announceIndexer(
  { chainId, writer, view, writerChanged }: Pick<Indexing, 'chainId' | 'writer' | 'view' | 'writerChanged'>,
  { config, db, logger, onStop }: AnnounceIndexerOptions,
): Promise<{ readonly outlet: NatsOutlet | null; readonly problems: ReportsAnnounced['problems'] }> {
  let outlet: NatsOutlet | null = null
  const carrier = () => (outlet === null ? {} : { natsConnected: outlet.isConnected() })
  const { problems, stop } = announceReports(db, () => ({ writer, state: view.state(), chain: view.chain(), ...carrier() }))
  onStop(stop)
  void writerChanged.then(stop)
  outlet = await openNatsOutlet({ config, chainId, writer, db, logger, onStop })
  return { outlet, problems }
}
