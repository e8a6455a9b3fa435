import { sql } from 'kysely'
import { causes, codeOf } from './databaseErrors.ts'

interface DriverClient {
  query(...args: readonly unknown[]): unknown
  end(): unknown
}

interface Pool {
  Client: new (options: unknown) => DriverClient
  readonly options: { onConnect?: (client: DriverClient) => Promise<void> }
  on(event: 'release', listener: (error: unknown, client: DriverClient) => void): void
}

const READ_ONLY = '25006'

/** Fails with 25006, as a write does, where the server or the session takes no writes. */
export const REQUIRE_WRITES = sql`do $$ begin
  if current_setting('transaction_read_only')::boolean then
    raise exception using errcode = 'read_only_sql_transaction', message = 'its transactions are read-only';
  end if; end $$`

/**
 * Has a pool close a connection after its first use when the server behind it takes no writes: the next use opens another one, which may
 * lead to the primary. During a failover a host name leads to a standby for a while, and connections opened meanwhile would stay with it.
 * To be called after `configureSessions`.
 *
 * @param isStandbyWanted whether the address is a standby's, so that only sessions that have refused a write are closed
 */
export function leaveStandbys(pool: Pool, { isStandbyWanted }: { readonly isStandbyWanted: boolean }): void {
  const left = new WeakSet<DriverClient>()
  pool.Client = class extends pool.Client {
    override query(...args: readonly unknown[]): unknown {
      const result = super.query(...args)
      if (result instanceof Promise) {
        result.catch((error: unknown) => {
          if (isReadOnly(error)) left.add(this)
        })
      }
      return result
    }
  }
  pool.on('release', (_, client) => {
    if (left.has(client)) void client.end()
  })
  const { onConnect } = pool.options
  if (isStandbyWanted) return
  pool.options.onConnect = async client => {
    await onConnect?.(client)
    const { rows } = (await client.query('select pg_is_in_recovery() as "isStandby"')) as { rows: readonly { isStandby: boolean }[] }
    if (rows[0]?.isStandby === true) left.add(client)
  }
}

function isReadOnly(error: unknown): boolean {
  return causes(error).some(link => codeOf(link) === READ_ONLY)
}
