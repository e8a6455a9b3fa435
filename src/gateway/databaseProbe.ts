/** A slower probe has failed: a health check must not wait as long as a query may. */
const PROBE_TIMEOUT_MS = 2_000

/** The result is shared for this long, because the routes that probe are not rate limited. */
const PROBE_LIFETIME_MS = 500

export interface DatabaseCondition {
  readonly ok: boolean
  readonly latencyMs: number | null
}

export interface DatabaseProbeOptions {
  readonly ping: () => Promise<number>
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number
  /** Default 2,000. */
  readonly timeoutMs?: number
}

/** Whether the database answers. Pings it at most twice a second, resolves within the timeout and never rejects. */
export type DatabaseProbe = () => Promise<DatabaseCondition>

export function createDatabaseProbe({ ping, now, timeoutMs = PROBE_TIMEOUT_MS }: DatabaseProbeOptions): DatabaseProbe {
  let last: { readonly condition: Promise<DatabaseCondition>; readonly at: number } | null = null
  return () => {
    if (last === null || now() - last.at > PROBE_LIFETIME_MS) last = { condition: probe(ping, timeoutMs), at: now() }
    return last.condition
  }
}

async function probe(ping: () => Promise<number>, timeoutMs: number): Promise<DatabaseCondition> {
  const { promise: timedOut, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, timeoutMs, null)
  try {
    const latencyMs = await Promise.race([ping(), timedOut])
    return latencyMs === null ? { ok: false, latencyMs: null } : { ok: true, latencyMs: Math.round(latencyMs * 1_000) / 1_000 }
  } catch {
    // The cause is logged where queries fail.
    return { ok: false, latencyMs: null }
  } finally {
    clearTimeout(timer)
  }
}
