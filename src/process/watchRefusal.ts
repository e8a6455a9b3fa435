import { sql } from 'kysely'
import { pause } from '#async/pause.ts'
import { monotonicMs } from '#clock'
import { TokenwireError } from '#errors'
import { causes, codeOf, databaseCause, databaseFault } from '#store/connection/databaseErrors.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'

const LOOK_EVERY_MS = 5_000
/** A password that is rotated step by step, or a server whose name has moved, is given this long. */
const REFUSED_FOR_MS = 60_000

export interface WatchRefusalOptions {
  /** Read at each look: a move may replace it. */
  readonly db: () => Queryable
  readonly onFailure: (error: TokenwireError) => void
  /** Default 5 s. */
  readonly lookEveryMs?: number
  readonly now?: () => number
}

/**
 * Ends the process when the database has refused it for a minute, or its host's name does not exist any more: a password, role, database,
 * certificate or host that was changed is only found in new settings, with which a supervisor starts the process again. Nothing can be
 * answered or indexed until then. A server that is only away is waited for without end.
 *
 * @returns a function that ends the watch
 */
export function watchRefusal({ db, onFailure, lookEveryMs = LOOK_EVERY_MS, now = monotonicMs }: WatchRefusalOptions): () => Promise<void> {
  const stopped = new AbortController()
  const { signal } = stopped
  const run = async (): Promise<void> => {
    let refusedSinceMs: number | null = null
    while (!signal.aborted) {
      await pause(lookEveryMs, signal)
      const error = await sql`select`.execute(db()).then(
        () => null,
        (reason: unknown) => reason,
      )
      if (error === null) refusedSinceMs = null
      if (error === null || signal.aborted || !needsNewSettings(error)) continue
      refusedSinceMs ??= now()
      if (now() - refusedSinceMs < REFUSED_FOR_MS) continue
      const sentence = `DATABASE_URL: ${databaseCause(error)?.full}; this process ends, so that it is started again with the settings of then`
      return onFailure(new TokenwireError('database_unavailable', sentence, { retryable: true, cause: error }))
    }
  }
  const running = run()
  return async () => {
    stopped.abort()
    await running
  }
}

function needsNewSettings(error: unknown): boolean {
  return databaseFault(error) === 'refused' || causes(error).some(link => codeOf(link) === 'ENOTFOUND')
}
