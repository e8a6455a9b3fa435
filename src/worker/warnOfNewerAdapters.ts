import type { Logger } from 'pino'
import { versionOf } from '#launchpads/registry.ts'
import type { ListInForce } from '#store/rows/listInForce.ts'

/** Names the launchpads that were indexed by an earlier version of their adapter, and how to have them built anew. Nothing is by itself. */
export function warnOfNewerAdapters({ launchpads }: Pick<ListInForce, 'launchpads'>, logger: Pick<Logger, 'warn'>): void {
  for (const { name, adapter, version = 1 } of launchpads) {
    const newVersion = versionOf(adapter)
    if (version >= newVersion) continue
    const sentence = `the adapter has learned more since this launchpad was indexed: npm run launchpads -- rebuild ${name}`
    logger.warn({ launchpad: name, version, newVersion }, sentence)
  }
}
