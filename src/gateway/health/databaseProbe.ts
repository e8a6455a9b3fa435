import type { Logger } from 'pino'
import type { DatabaseCause } from '#resources/indexerState.ts'

/** The time after which a probe has failed: a health check must not wait as long as a query may. */
const PROBE_TIMEOUT_MS = 2_000

/** How long a result is shared, because the routes that probe are not rate limited. */
const PROBE_LIFETIME_MS = 500

export interface DatabaseCondition {
  readonly ok: boolean
  readonly latencyMs: number | null
  /** Why the database fails, without secrets; `null`: it works. */
  readonly cause: DatabaseCause | null
}

export interface DatabaseProbeOptions {
  readonly ping: () => Promise<number>
  readonly now: () => number
  /** Logs when the database fails and when it is back. */
  readonly logger: Logger
  /** Why the database has failed, by an error; `null`: the error does not show it. */
  readonly causeOf: (error: unknown) => DatabaseCause | null
  /** Removes secrets from the database's messages. */
  readonly redact: (text: string) => string
}

/** Pings at most twice a second, resolves within the timeout and never rejects. */
export type DatabaseProbe = () => Promise<DatabaseCondition>

export function createDatabaseProbe({ ping, now, logger, causeOf, redact }: DatabaseProbeOptions): DatabaseProbe {
  let last: { readonly condition: Promise<DatabaseCondition>; readonly at: number } | null = null
  let reported: string | null = null
  const explain = (error: unknown): DatabaseCause => {
    const { shown, full } = causeOf(error) ?? UNKNOWN
    return { shown, full: redact(full) }
  }

  const report = (condition: DatabaseCondition): DatabaseCondition => {
    const shown = condition.cause?.shown ?? null
    if (shown !== null && shown !== reported) logger.warn({ cause: condition.cause?.full }, 'the database can not be used')
    if (shown === null && reported !== null) logger.info('the database can be used again')
    reported = shown
    return condition
  }
  return () => {
    if (last === null || now() - last.at > PROBE_LIFETIME_MS) last = { condition: probe(ping, explain).then(report), at: now() }
    return last.condition
  }
}

const TOO_SLOW = Object.assign(new Error(`no answer within ${PROBE_TIMEOUT_MS / 1_000} s`), { code: 'ETIMEDOUT' })

async function probe(ping: () => Promise<number>, explain: (error: unknown) => DatabaseCause): Promise<DatabaseCondition> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(TOO_SLOW), PROBE_TIMEOUT_MS)
  try {
    const latencyMs = await Promise.race([ping(), late.promise])
    return { ok: true, latencyMs: Math.round(latencyMs * 1_000) / 1_000, cause: null }
  } catch (error) {
    return { ok: false, latencyMs: null, cause: explain(error) }
  } finally {
    clearTimeout(timer)
  }
}

const UNKNOWN: DatabaseCause = { shown: 'the database does not answer', full: 'the database does not answer; the log has the error' }
