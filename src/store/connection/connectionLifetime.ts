interface Pool {
  readonly options: { maxLifetimeSeconds?: number }
}

/** The shortest and the longest life of a connection, in seconds. */
export const MIN_LIFETIME = 60
export const MAX_LIFETIME = 600

/**
 * Has a pool renew its connections. A connection keeps its plans, and a plan for small tables is wrong once they have grown. So a
 * connection lives for as long as the pool had existed when it was opened: in that time an index that grows at an even rate doubles.
 * Requests on a new connection cost three to four times the usual processor time until their statements are planned.
 *
 * @param now monotonic milliseconds
 */
export function renewConnections({ options }: Pool, now: () => number): void {
  const openedMs = now()
  Object.defineProperty(options, 'maxLifetimeSeconds', {
    get: () => Math.min(MAX_LIFETIME, Math.max(MIN_LIFETIME, (now() - openedMs) / 1_000)),
  })
}
