interface Pool {
  readonly options: { maxLifetimeSeconds?: number }
}

/** In seconds. */
export const MIN_LIFETIME = 60
export const MAX_LIFETIME = 600

/**
 * Has a pool renew its connections. Plans live as long as their connection, and a plan for small tables must not stay, even if nothing runs
 * `analyze`. So a connection lives for as long as the pool had existed when the connection was opened: in that time an index that grows at
 * an even rate doubles. A new connection costs its requests three to four times their usual processor time until it has planned their
 * statements.
 *
 * @param now monotonic milliseconds
 */
export function renewConnections({ options }: Pool, now: () => number): void {
  const openedMs = now()
  Object.defineProperty(options, 'maxLifetimeSeconds', {
    get: () => Math.min(MAX_LIFETIME, Math.max(MIN_LIFETIME, (now() - openedMs) / 1_000)),
  })
}
