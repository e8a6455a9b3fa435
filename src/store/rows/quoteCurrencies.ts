import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Queryable } from '#store/connection/queryable.ts'

/** The quote currencies of each launchpad's pools, by the launchpad's name. Reads all pools. */
export async function readQuoteCurrencies(db: Queryable): Promise<ReadonlyMap<string, readonly Address[]>> {
  const { rows } = await sql<{ launchpad: string; currency: Address }>`
    select distinct launchpad, quote_token as currency from pool order by launchpad, quote_token`.execute(db)
  const byName = Map.groupBy(rows, ({ launchpad }) => launchpad)
  return new Map([...byName].map(([name, found]) => [name, found.map(({ currency }) => currency)]))
}
