import { Migration } from '@mikro-orm/migrations'

/** What a token is worth between its events, and what pegs say. Currencies that wrap ether have a rate of 1. */
export class Migration0022QuoteWorth extends Migration {
  override up(): void {
    this.addSql(`alter table token add column quote_token bytea, add column quote_usd numeric, add column event_price_weth numeric`)
    this.addSql(`update token set event_price_weth = price_weth where price_weth is not null`)
    this.addSql(`update token set quote_token = pool.quote_token from pool, chain_state
      where pool.address = token.main_pool and pool.quote_token <> chain_state.weth and token.quote_rate is distinct from 1`)
    this.addSql(
      `create index token_by_quote on token (quote_token, (coalesce(quote_rate, quote_usd)), address) where quote_token is not null`,
    )
    this.addSql(`alter table trade add column price_usd numeric, add column value_usd numeric`)
    this.addSql(`alter table block add column revalued_to bytea`)
    // The images of tokens have no such columns, and a reorg would restore them as unknown.
    this.addSql(`update block_undo set image = (image::jsonb || jsonb_build_object('event_price_weth', image -> 'price_weth', 'quote_token', (
        select pool.quote_token from pool, chain_state where pool.address = (image ->> 'main_pool')::bytea
          and pool.quote_token <> chain_state.weth and (image ->> 'quote_rate')::numeric is distinct from 1
      )))::json where table_name = 'token' and existed`)
  }
}
