import { createThreadFeed } from '#bus/threadFeed.ts'
import { followsSwitches, readCurrentSchema, readServedSchema } from '#store/connection/databaseSchema.ts'
import type { StartedThread } from '#worker/startIndexing.ts'
import { announceIndexer } from './announceIndexer.ts'
import { type LockedDatabase, writerChangedError } from './indexerDatabase.ts'
import { watchLaunchpads } from './launchpadsWatch.ts'
import { withLiveLaunchpads } from './liveLaunchpads.ts'
import { serve } from './serve.ts'
import type { RoleOptions, StartedRole } from './serviceOptions.ts'
import { requireWebhooks, startWebhooks } from './startWebhooks.ts'
import { watchRefusal } from './watchRefusal.ts'
import { switchedError, watchServedSchema } from './watchServedSchema.ts'
import { withProblems } from './withProblems.ts'

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
