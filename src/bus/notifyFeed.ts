import { COMMITS_CHANNEL, parseAnnouncement } from '#store/rows/announcement.ts'
import type { BlockFeed } from './blockFeed.ts'
import { createDatabaseFeed, type DatabaseFeedOptions } from './databaseFeed.ts'
import { NO_STATES } from './pendingCommits.ts'

/** Receives from PostgreSQL which tokens each commit changed. */
export function createNotifyFeed(options: DatabaseFeedOptions): BlockFeed {
  let last = 0
  const feed = createDatabaseFeed(options, {
    channels: [COMMITS_CHANNEL],
    silence: () => 'DATABASE_URL: the database has commits that it does not announce; a pooler in between has to keep sessions',
    onNotification: payload => {
      const { changed, dropped, ...newest } = parseAnnouncement(payload)
      if (newest.commit > last + 1) feed.carrierLost()
      last = newest.commit
      const tokens = changed === null ? null : new Set(changed)
      feed.announced({ newest, sinceMs: options.now(), changed: tokens, dropped: new Set(dropped), states: NO_STATES })
    },
  })
  return { ...feed, health: () => ({ carrier: 'notify', ...feed.health() }) }
}
