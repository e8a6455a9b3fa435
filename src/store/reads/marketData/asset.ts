import { sql } from 'kysely'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import type { ListedAsset } from '#resources/marketData.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { linksOf } from '#store/reads/linksOf.ts'
import { readSupply } from '#store/reads/supply.ts'
import { toBytes } from '#tables/toBytes.ts'
import { FINAL_BLOCK } from './finality.ts'

interface Named {
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number
}

/** A token that a final block created, or a quote currency; `null`: neither. */
export async function readAsset(db: Queryable, id: Address): Promise<ListedAsset | null> {
  return (await readToken(db, id)) ?? (await readQuote(db, id))
}

async function readToken(db: Queryable, id: Address): Promise<ListedAsset | null> {
  const { rows } = await sql<Named & { readonly holderCount: number; readonly links: string | null }>`
    select name, symbol, decimals, holder_count as "holderCount", links from token
    where address = ${toBytes(id)} and created_block <= ${FINAL_BLOCK}`.execute(db)
  const supply = rows[0] === undefined ? null : await readSupply(db, id)
  if (rows[0] === undefined || supply === null) return null
  const { holderCount, links, ...named } = rows[0]
  return {
    ...describe(id, named),
    totalSupply: formatUnits(supply.total, supply.decimals),
    circulatingSupply: formatUnits(supply.total - supply.burned - supply.locked, supply.decimals),
    holderCount,
    links: linksOf(links),
  }
}

async function readQuote(db: Queryable, id: Address): Promise<ListedAsset | null> {
  const { rows } = await sql<Omit<Named, 'name'>>`
    select * from (
      select currency.symbol, case when currency.address in (${toBytes(ZERO_ADDRESS)}, chain_state.weth) then 18 else currency.decimals end as decimals
      from chain_state join currency
        on currency.address in (${toBytes(id)}, case when chain_state.weth = ${toBytes(id)} then ${toBytes(ZERO_ADDRESS)}::bytea end) limit 1
    ) as named where decimals is not null`.execute(db)
  if (rows[0] === undefined) return null
  return { ...describe(id, { name: null, ...rows[0] }), totalSupply: null, circulatingSupply: null, holderCount: null, links: [] }
}

/** Fills in empty names and symbols, which sites do not accept. */
function describe(id: Address, { name, symbol, decimals }: Named): Pick<ListedAsset, 'id' | 'name' | 'symbol' | 'decimals'> {
  const [own, short] = [name?.trim() ?? '', symbol?.trim() ?? '']
  return { id, name: own || short || id, symbol: short || own || id, decimals }
}
