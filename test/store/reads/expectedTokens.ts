import fc from 'fast-check'
import { parseDecimal, percentOf } from '#domain/decimal.ts'
import type { TokenSort, TokensQuery } from '#resources/tokens.ts'
import { addressOf, type Row } from '#test/support/rows.ts'

export const STATUSES = ['none', 'bonding', 'completed', 'migrated'] as const

/** Few distinct values, so that ties and rows without a value are everywhere. */
export const randomToken = fc.record({
  created_at: fc.integer({ min: 1_700_000_000, max: 1_700_000_010 }),
  market_cap_weth: fc.option(
    fc.constantFrom('0', '0.000000000000000001', '1.5', '1.50000000000000000001', '123456789012345678901234567890.1'),
  ),
  liquidity_weth: fc.option(fc.constantFrom('0.1', '0.10', '7')),
  volume_m5: fc.constantFrom('0', '5'),
  volume_h1: fc.constantFrom('0', '70000000000000000000'),
  volume_h24: fc.constantFrom('0', '1', '340282366920938463463374607431768211456'),
  price_change_m5: fc.option(fc.constantFrom(0, 0.5)),
  price_change_h1: fc.option(fc.constantFrom(-1e-7, 0, 3.3333)),
  price_change_h24: fc.option(fc.constantFrom(-99.9999, -0.1, 0, 0.1, 1e21, 12.3457)),
  holder_count: fc.constantFrom(0, 1, 2147483647),
  buys_m5: fc.nat(1),
  sells_h1: fc.nat(2),
  buys_h24: fc.nat(2),
  sells_h24: fc.nat(2),
  buyers_h1: fc.nat(1),
  buyers_h6: fc.nat(2),
  buyers_h24: fc.nat(3),
  migrated_at: fc.option(fc.integer({ min: 1_700_000_004, max: 1_700_000_006 })),
  last_trade_at: fc.option(fc.integer({ min: 1_700_000_000, max: 1_700_000_003 })),
  graduation_percent: fc.option(fc.constantFrom(0, 41.2, 100)),
  graduation_status: fc.constantFrom(...STATUSES),
  creator: fc.constantFrom(addressOf(1), addressOf(2)),
  launchpad: fc.constantFrom('wow', 'clanker'),
  surface: fc.option(fc.constantFrom('bankr', 'clanker sdk')),
  total_supply: fc.constantFrom('0', '1000003', '1000000000000000000000000000'),
  sniper_held: fc.option(fc.constantFrom('0', '1', '24000', '24001', '1000003', '24000000000000000000000000')),
  creator_held: fc.option(fc.constantFrom('0', '2000000')),
})

const COLUMNS: Readonly<Record<TokenSort, (row: Row) => unknown>> = {
  createdAt: row => row['created_at'],
  marketCap: row => row['market_cap_weth'],
  volume5m: row => row['volume_m5'],
  volume1h: row => row['volume_h1'],
  volume24h: row => row['volume_h24'],
  priceChange5m: row => row['price_change_m5'],
  priceChange1h: row => row['price_change_h1'],
  priceChange24h: row => row['price_change_h24'],
  liquidity: row => row['liquidity_weth'],
  holders: row => row['holder_count'],
  trades5m: row => Number(row['buys_m5']) + Number(row['sells_m5']),
  trades1h: row => Number(row['buys_h1']) + Number(row['sells_h1']),
  trades24h: row => Number(row['buys_h24']) + Number(row['sells_h24']),
  lastTradeAt: row => row['last_trade_at'],
  graduation: row => row['graduation_percent'],
  migratedAt: row => row['migrated_at'],
  trending: row => 24 * Number(row['buyers_h1']) + 4 * Number(row['buyers_h6']) + Number(row['buyers_h24']),
}

/** What a column's value is ordered by, exactly. */
function comparable(value: unknown): bigint | number | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? parseDecimal(value) : Number(value)
}

function isAtLeast(value: unknown, bound: string | number | undefined): boolean {
  return bound === undefined || (value !== null && Number(value) >= Number(bound))
}

/** What is shown of the share is what counts. */
function isHeldAtMost(held: Row[string] | undefined, supply: Row[string] | undefined, limit: number | undefined): boolean {
  if (limit === undefined) return true
  const percent = held === null || held === undefined ? null : percentOf(BigInt(held), BigInt(String(supply)))
  return percent !== null && percent <= limit
}

/** The listing said plainly: filter, sort, with ties by address and rows without a value last by rising address. */
export function expectedAddresses(rows: readonly Row[], query: Omit<TokensQuery, 'limit'>): readonly unknown[] {
  const kept = rows.filter(
    row =>
      (query.status === undefined || query.status.some(status => status === row['graduation_status'])) &&
      (query.creator === undefined || row['creator'] === query.creator) &&
      (query.launchpad === undefined || query.launchpad.some(launchpad => launchpad === row['launchpad'])) &&
      isAtLeast(row['market_cap_weth'], query.minMarketCap) &&
      isAtLeast(row['liquidity_weth'], query.minLiquidity) &&
      isAtLeast(`${row['volume_h24']}e-18`, query.minVolume24h) &&
      isAtLeast(row['holder_count'], query.minHolders) &&
      isAtLeast(row['graduation_percent'], query.minGraduation) &&
      isHeldAtMost(row['sniper_held'], row['total_supply'], query.maxSniperPercent) &&
      isHeldAtMost(row['creator_held'], row['total_supply'], query.maxCreatorPercent) &&
      (query.surface === undefined || row['surface'] === query.surface.toLowerCase()) &&
      Number(row['created_at']) > (query.createdAfter ?? 0) &&
      Number(row['created_at']) < (query.createdBefore ?? Number.MAX_SAFE_INTEGER) &&
      (query.addresses === undefined || query.addresses.some(address => address === row['address'])),
  )
  const sign = query.order === 'desc' ? -1 : 1
  const byAddress = (a: Row, b: Row) => (String(a['address']) < String(b['address']) ? -1 : 1)
  return kept
    .toSorted((a, b) => {
      const [left, right] = [comparable(COLUMNS[query.sort](a)), comparable(COLUMNS[query.sort](b))]
      if (left === null || right === null) return left === right ? byAddress(a, b) : left === null ? 1 : -1
      if (left !== right) return left < right ? -sign : sign
      return sign * byAddress(a, b)
    })
    .map(row => row['address'])
}
