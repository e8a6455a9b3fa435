import { Migration } from '@mikro-orm/migrations'

const WINDOWS = [
  ['m5', 300],
  ['h1', 3_600],
  ['h6', 21_600],
  ['h24', 86_400],
] as const
const SORTS = [
  ['volume_m5', 'volume_m5'],
  ['volume_h1', 'volume_h1'],
  ['price_change_m5', 'price_change_m5'],
  ['trades_m5', 'trades_m5'],
  ['trades_h1', 'trades_h1'],
  ['migrated_at', 'migrated_at'],
  ['trending', 'trending'],
] as const

/** Bought volume, buyers and sellers per window, counted from the stored trades of the last day, and more sorts of token lists. */
export class Migration0019Lists extends Migration {
  override up(): void {
    const columns = WINDOWS.flatMap(([name]) => [
      `add column buy_volume_${name} numeric not null default 0`,
      `add column buyers_${name} integer not null default 0`,
      `add column sellers_${name} integer not null default 0`,
    ])
    this.addSql(`alter table token ${columns.join(', ')}`)
    const counts = WINDOWS.flatMap(([name, seconds]) => {
      const within = `trade.timestamp > token.windows_at - ${seconds}`
      return [
        `coalesce(sum(amount_wei) filter (where side = 'buy' and ${within}), 0) as buy_volume_${name}`,
        `count(distinct maker) filter (where side = 'buy' and ${within}) as buyers_${name}`,
        `count(distinct maker) filter (where side = 'sell' and ${within}) as sellers_${name}`,
      ]
    })
    const names = WINDOWS.flatMap(([name]) => [`buy_volume_${name}`, `buyers_${name}`, `sellers_${name}`])
    this.addSql(`update token set ${names.map(name => `${name} = counted.${name}`).join(', ')} from (
      select token.address, ${counts.join(', ')} from token join trade on trade.token = token.address and trade.timestamp > token.windows_at - 86400
      group by token.address) as counted
      where counted.address = token.address`)
    this.addSql(`alter table token ${names.map(name => `alter column ${name} drop default`).join(', ')}`)
    this.addSql(`alter table token add column trades_m5 integer not null generated always as (buys_m5 + sells_m5) stored,
      add column trades_h1 integer not null generated always as (buys_h1 + sells_h1) stored,
      add column trending integer not null generated always as (24 * buyers_h1 + 4 * buyers_h6 + buyers_h24) stored`)

    for (const [name, column] of SORTS)
      this.addSql(`create index token_by_${name} on token (launchpad, graduation_status, ${column}, address)`)
    this.addSql(`drop index token_by_creator`)
    this.addSql(`create index token_by_creator on token (creator, launchpad, graduation_status, address) include
      (created_at, market_cap_weth, volume_m5, volume_h1, volume_h24, price_change_m5, price_change_h1, price_change_h24, liquidity_weth,
      holder_count, trades_m5, trades_h1, trades_h24, last_trade_at, graduation_percent, migrated_at, trending)`)

    // The images of earlier blocks lack these columns, so only later blocks can be undone.
    this.addSql(`update chain_state set undo_from = null`)
    this.addSql(`delete from block_undo`)
    this.addSql(`analyze token`)
  }
}
