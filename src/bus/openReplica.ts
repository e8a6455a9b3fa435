import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { TokenwireError } from '#errors'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { toStartError } from '#store/connection/startError.ts'
import { readIdentity, readWriter } from '#store/rows/identity.ts'
import { createReplicaReads, type ReplicaReads } from './replicaReads.ts'

export interface OpenReplicaOptions {
  readonly primary: Queryable
  readonly logger: Logger
  readonly now: () => number
  readonly onStop: (stop: () => Promise<void> | void) => void
}

/** A replica that is only a little behind shows within this time which process writes to the primary. */
const MAX_WAIT_MS = 5_000
const ASK_AGAIN_MS = 250

/**
 * Opens a replica of the primary for reads.
 *
 * @throws `TokenwireError` that names `DATABASE_READ_URL`: it can't be reached, or is no replica of the primary
 */
export async function openReplica(url: string, { primary, logger, now, onStop }: OpenReplicaOptions): Promise<ReplicaReads> {
  const orm = createOrm(url, logger, { applicationName: 'tokenwire-reads', statementTimeoutMs: 10_000, isStandbyWanted: true })
  onStop(() => orm.close(true))
  const replica = orm.em.getKysely<unknown>()
  const untilMs = now() + MAX_WAIT_MS
  await requireDatabase(replica, { url, use: 'replica', logger })
  const failed = (error: unknown): never => {
    throw toStartError(error, { url, setting: 'DATABASE_READ_URL' })
  }
  while (!(await isReplicaOf(replica, primary).catch(failed))) {
    if (now() > untilMs) {
      const sentence = `it is no replica of DATABASE_URL, or more than ${MAX_WAIT_MS / 1_000} s behind`
      throw new TokenwireError('database_unavailable', `DATABASE_READ_URL: ${sentence}`, { retryable: true })
    }
    await delay(ASK_AGAIN_MS)
  }
  const reads = createReplicaReads({ replica, primary, logger, now })
  onStop(() => reads.stop())
  return reads
}

async function isReplicaOf(replica: Queryable, primary: Queryable): Promise<boolean> {
  if ((await readIdentity(replica)) === null) return false
  const [here, there] = await Promise.all([readWriter(replica), readWriter(primary)])
  return here !== null && here === there
}
