import type { Logger } from 'pino'
import { isLogged, pause } from '#async/pause.ts'
import { TokenwireError } from '#errors'
import { type Queryable, readServedSchema } from '#store/connection/databaseSchema.ts'

const LOOK_EVERY_MS = 1_000

export interface WatchServedSchemaOptions {
  /** Read at each look: a move may replace it. */
  readonly db: () => Queryable
  /** The schema of this process at present. */
  readonly current: () => string
  /** Called when another schema is served, and again a second later if it rejects. */
  readonly onSwitch: (schema: string) => Promise<void>
  readonly logger: Logger
}

/** Looks once a second whether `npm run db:switch` has made another schema the served one. @returns a function that ends it */
export function watchServedSchema({ db, current, onSwitch, logger }: WatchServedSchemaOptions): () => Promise<void> {
  const stopped = new AbortController()
  const { signal } = stopped
  const run = async (): Promise<void> => {
    for (let failures = 0; !signal.aborted; ) {
      await pause(LOOK_EVERY_MS, signal)
      if (signal.aborted) return
      // A database that does not answer is logged by the parts that need it.
      const served = await readServedSchema(db()).catch(() => current())
      if (served === current() || signal.aborted) continue
      try {
        await onSwitch(served)
        // The process does not move.
        if (served !== current()) return
        failures = 0
      } catch (err) {
        if (isLogged(++failures)) logger.warn({ err, failures, schema: served }, 'the schema that is served now could not be opened')
      }
    }
  }
  const running = run()
  return async () => {
    stopped.abort()
    await running
  }
}

/** A process that indexes, or may have to, does not move: it starts again, and finds what it is then. */
export function switchedError(schema: string): TokenwireError {
  const sentence = `DATABASE_URL: npm run db:switch has made schema ${schema} the served one; this process has to start again`
  return new TokenwireError('database_taken', sentence, { retryable: true })
}
