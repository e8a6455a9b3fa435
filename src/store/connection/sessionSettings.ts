export interface ConfiguredPool {
  readonly options: { onConnect?: (client: { query(text: string): Promise<unknown> }) => Promise<void> }
}

/**
 * What each session is given:
 * - queries read a few pages each, mostly from memory: with the default cost of a random page, meant for spinning disks, PostgreSQL would
 *   scan whole tables. Queries take milliseconds, which JIT compilation would multiply;
 * - the server ends a transaction whose client has died in silence before the client's next attempt needs its locks;
 * - when a client's host is gone, the server ends its session within half a minute, which frees its locks.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  random_page_cost: '1.1',
  jit: 'off',
  idle_in_transaction_session_timeout: '20s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25s',
}

/**
 * Configures each new connection by a statement: poolers such as PgBouncer refuse most parameters of a connection's start. What the URL
 * itself sets (`?options=-c jit=on`) stays.
 */
export function configureSessions(
  pool: ConfiguredPool,
  databaseUrl: string,
  limits: { readonly statementTimeoutMs: number; readonly lockTimeoutMs: number },
): void {
  const { search } = new URL(databaseUrl)
  const settings = { ...SETTINGS, statement_timeout: String(limits.statementTimeoutMs), lock_timeout: String(limits.lockTimeoutMs) }
  const text = Object.entries(settings)
    .filter(([name]) => !search.includes(name))
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join('; ')
  pool.options.onConnect = async client => {
    if (text !== '') await client.query(text)
  }
}
