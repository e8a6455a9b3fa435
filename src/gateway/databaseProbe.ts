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
  readonly now: () => number
}

/** Pings at most twice a second, resolves within the timeout and never rejects. */
export type DatabaseProbe = () => Promise<DatabaseCondition>

export function createDatabaseProbe({ ping, now }: DatabaseProbeOptions): DatabaseProbe {
  let last: { readonly condition: Promise<DatabaseCondition>; readonly at: number } | null = null
  return () => {
    if (last === null || now() - last.at > PROBE_LIFETIME_MS) last = { condition: probe(ping), at: now() }
    return last.condition
  }
}

async function probe(ping: () => Promise<number>): Promise<DatabaseCondition> {
  const { promise: timedOut, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, PROBE_TIMEOUT_MS, null)
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
