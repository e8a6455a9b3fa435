import { Migration } from '@mikro-orm/migrations'

/**
 * When accounts last bought and last sold a token, in their balances, which every commit reads. Commits looked these times up among the
 * trades before. Reads all trades once, and rewrites the balances of traders.
 */
export class Migration0042LastTrades extends Migration {
  override up(): void {
    for (const [name] of SORTS) this.addSql(`drop index trader_by_${name}`)
    this.addSql(`alter table balance add column last_buy_at bigint, add column last_sell_at bigint, drop column last_trade_at`)
    this.addSql(`update balance set last_buy_at = traded.last_buy_at, last_sell_at = traded.last_sell_at
      from (
        select token, maker, max(timestamp) filter (where side = 'buy') as last_buy_at, max(timestamp) filter (where side = 'sell') as last_sell_at
        from trade group by token, maker
      ) as traded
      where balance.token = traded.token and balance.holder = traded.maker`)
    for (const [name, value] of SORTS) {
      this.addSql(`create index trader_by_${name} on balance (token, (${value}), holder) where first_trade_at is not null`)
    }
    // The images of earlier blocks lack these columns, so only later blocks can be undone.
    this.addSql(`update chain_state set undo_from = null`)
    this.addSql(`delete from block_undo`)
    this.addSql(`analyze balance`)
  }
}

const UNKNOWN = `'-Infinity'::numeric`
const SORTS = [
  ['realized', `coalesce(realized_wei, ${UNKNOWN})`],
  ['volume', `coalesce(bought_wei + sold_wei, ${UNKNOWN})`],
  ['bought', `coalesce(bought_wei, ${UNKNOWN})`],
  ['sold', `coalesce(sold_wei, ${UNKNOWN})`],
  ['balance', 'balance'],
]
