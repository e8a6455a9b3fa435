import { Migration } from '@mikro-orm/migrations'

/** In 10^-18 USD. */
const USD = 'trunc(amount_wei * eth_usd)'

/**
 * What accounts traded of each token, what their balances cost, and what their sales earned. Trades are stored, transfers are not. So the
 * cost of a balance is known only where the balance is zero, and the profit of sales only where there are no sales. Reads all trades once,
 * and rewrites the balances of traders.
 */
export class Migration0020Wallets extends Migration {
  override up(): void {
    this.addSql(`alter table balance
      add column buys integer not null default 0, add column sells integer not null default 0,
      add column bought_token numeric not null default 0, add column sold_token numeric not null default 0,
      add column bought_wei numeric default 0, add column bought_usd numeric default 0,
      add column sold_wei numeric default 0, add column sold_usd numeric default 0,
      add column cost_wei numeric, add column cost_usd numeric,
      add column realized_wei numeric default 0, add column realized_usd numeric default 0,
      add column first_trade_at bigint, add column last_trade_at bigint`)
    this.addSql(`create temporary table traded on commit drop as
      select token, maker, count(*) filter (where side = 'buy') as buys, count(*) filter (where side = 'sell') as sells,
        ${sumOf('buy', 'amount_token')} as bought_token, ${sumOf('sell', 'amount_token')} as sold_token,
        ${sumOf('buy', 'amount_wei')} as bought_wei, ${sumOf('buy', USD)} as bought_usd,
        ${sumOf('sell', 'amount_wei')} as sold_wei, ${sumOf('sell', USD)} as sold_usd,
        coalesce(sum(amount_wei), 0) as known_wei, min(block_number) as first_block, min(timestamp) as first_trade_at, max(timestamp) as last_trade_at
      from trade group by token, maker`)
    // Makers that appear in no transfer.
    this.addSql(`insert into balance (token, holder, balance, type, last_changed_block)
      select token, maker, 0, 'wallet', first_block from traded on conflict do nothing`)
    this.addSql(`update balance set buys = traded.buys, sells = traded.sells, bought_token = traded.bought_token, sold_token = traded.sold_token,
        bought_wei = traded.bought_wei, bought_usd = traded.bought_usd, sold_wei = traded.sold_wei, sold_usd = traded.sold_usd,
        cost_wei = case when balance = 0 then 0 end, cost_usd = case when balance = 0 then 0 end,
        realized_wei = case when traded.sells = 0 then 0 end, realized_usd = case when traded.sells = 0 then 0 end,
        first_trade_at = traded.first_trade_at, last_trade_at = traded.last_trade_at
      from traded where balance.token = traded.token and balance.holder = traded.maker`)
    this.addSql(`update balance set cost_wei = 0, cost_usd = 0 where balance = 0 and cost_wei is null`)
    for (const name of ['bought', 'sold', 'realized']) {
      this.addSql(`alter table balance alter column ${name}_wei drop default, alter column ${name}_usd drop default`)
    }

    this.addSql(`create index balance_by_holder on balance (holder, last_changed_block, token) where balance > 0`)
    const unknown = `'-Infinity'::numeric`
    for (const [sort, value] of [
      ['realized', `coalesce(realized_wei, ${unknown})`],
      ['volume', `coalesce(bought_wei + sold_wei, ${unknown})`],
      ['bought', `coalesce(bought_wei, ${unknown})`],
      ['sold', `coalesce(sold_wei, ${unknown})`],
      ['balance', 'balance'],
    ]) {
      this.addSql(`create index trader_by_${sort} on balance (token, (${value}), holder) where last_trade_at is not null`)
    }

    this.addSql(`drop table trader`)
    this.addSql(`create table trader (
      maker bytea primary key,
      first_trade_at bigint not null,
      last_trade_at bigint not null,
      trades integer not null,
      volume_wei numeric not null,
      tokens integer not null,
      realized_wei numeric not null,
      realized_usd numeric not null,
      tokens_without_wei integer not null,
      tokens_without_usd integer not null
    )`)
    this.addSql(`insert into trader
      select maker, min(first_trade_at), max(last_trade_at), sum(buys + sells), sum(known_wei), count(*), 0, 0,
        count(*) filter (where sells > 0), count(*) filter (where sells > 0)
      from traded group by maker`)
    this.addSql(`create index trader_by_last_trade_at on trader (last_trade_at)`)

    // What a creator can claim is read in this order.
    this.addSql(`drop index creator_fee_by_creator`)
    this.addSql(`create index creator_fee_by_creator on creator_fee (creator, token, launchpad, currency)`)

    // The images of earlier blocks lack these columns, so only later blocks can be undone.
    this.addSql(`update chain_state set undo_from = null`)
    this.addSql(`delete from block_undo`)
    this.addSql(`analyze balance, trader`)
  }
}

/** `null`: the value of one trade is not known. */
function sumOf(side: 'buy' | 'sell', value: string): string {
  return `case when bool_or(side = '${side}' and ${value} is null) then null
    else coalesce(sum(${value}) filter (where side = '${side}'), 0) end`
}
