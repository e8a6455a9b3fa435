import { Migration } from '@mikro-orm/migrations'

const ZERO_ADDRESS = `'\\x${'00'.repeat(20)}'::bytea`
/** Pairs of intervals in seconds: the candles of the second interval are made from those of the first. */
const COARSER = [
  [60, 300],
  [300, 900],
  [900, 3_600],
  [3_600, 14_400],
  [14_400, 86_400],
] as const

/**
 * Prices are the market's after a trade, everywhere: candles, which showed the trades' average prices, are made anew from stored trades,
 * and the highest price and the liquidity follow. Amounts and prices may be of any currency. Reads and sorts all trades once.
 */
export class Migration0017OnePrice extends Migration {
  override up(): void {
    this.addSql(`alter table pool rename column price_weth to price`)
    this.addSql(`alter table pool drop column quote_decimals`)
    this.addSql(`alter table trade add column amount_quote numeric, add column fee_quote numeric`)
    this.addSql(`alter table token add column price_quote numeric, add column quote_rate numeric, add column last_price_at bigint,
      add column close_usd numeric`)
    this.addSql(`update token set price_quote = price_weth, quote_rate = 1 from pool cross join chain_state
      where pool.address = token.main_pool and pool.quote_token in (chain_state.weth, ${ZERO_ADDRESS})`)

    this.addSql(`truncate candle`)
    this.addSql(`drop index candle_by_time`)
    this.addSql(`alter table candle drop column in_usd, alter column open drop not null, alter column high drop not null,
      alter column low drop not null, alter column close drop not null, alter column volume_wei drop not null,
      add column open_quote numeric, add column high_quote numeric, add column low_quote numeric, add column close_quote numeric,
      add column volume_quote numeric,
      add column in_usd boolean generated always as ((close_usd is not null) or nullif((close is null), true)) stored`)

    this.makePoints()
    this.addSql(`insert into candle (token, interval_seconds, time, open, high, low, close, volume_wei, trades,
        open_usd, high_usd, low_usd, close_usd, volume_usd, trades_usd)
      select token, 60, timestamp - timestamp % 60, (array_agg(before order by place))[1], max(greatest(before, price)), min(least(before, price)),
        (array_agg(price order by place desc))[1], sum(volume), sum(trades),
        (array_agg(before_usd order by place) filter (where usd is not null))[1], max(greatest(before_usd, usd)), min(least(before_usd, usd)),
        (array_agg(usd order by place desc) filter (where usd is not null))[1], sum(volume * eth_usd * 1e-18), count(usd)
      from price_point where trades > 0 or price <> before group by token, timestamp - timestamp % 60`)
    for (const [fine, coarse] of COARSER) {
      this.addSql(`insert into candle (token, interval_seconds, time, open, high, low, close, volume_wei, trades,
          open_usd, high_usd, low_usd, close_usd, volume_usd, trades_usd)
        select token, ${coarse}, time - time % ${coarse}, (array_agg(open order by time))[1], max(high), min(low),
          (array_agg(close order by time desc))[1], sum(volume_wei), sum(trades),
          (array_agg(open_usd order by time) filter (where in_usd))[1], max(high_usd), min(low_usd),
          (array_agg(close_usd order by time desc) filter (where in_usd))[1], sum(volume_usd), sum(trades_usd)
        from candle where interval_seconds = ${fine} group by token, time - time % ${coarse}`)
    }
    this.addSql(`create index candle_by_time on candle (token, interval_seconds, in_usd, time) include
      (open, high, low, close, volume_wei, trades, open_quote, high_quote, low_quote, close_quote, volume_quote,
      open_usd, high_usd, low_usd, close_usd, volume_usd, trades_usd)`)

    this.addSql(`update token set last_price_at = made.last_price_at, close_usd = made.close_usd,
        ath_price_weth = greatest(token.first_price_weth, made.highest)
      from (
        select token, max(timestamp) as last_price_at, max(price) as highest,
          (array_agg(usd order by place desc) filter (where usd is not null))[1] as close_usd
        from price_point where trades > 0 or price <> before group by token
      ) as made where made.token = token.address`)
    this.addSql(`drop table price_point`)
    this.addSql(`update token set liquidity_weth = 2e-18 * case
        when pool.type <> 'uniswap-v4' then pool.reserve_quote
        when pool.sqrt_price_x96 = 0 then null
        when pool.token_is_token0 then div(pool.liquidity * pool.sqrt_price_x96, 2::numeric ^ 96)
        else div(pool.liquidity * 2::numeric ^ 96, pool.sqrt_price_x96) end
      from pool where pool.address = token.main_pool and token.quote_rate is not null`)
    this.addSql(`update index_totals set liquidity_weth = (select coalesce(sum(liquidity_weth), 0) from token)`)

    // The images of earlier blocks lack these columns, so only later blocks can be undone.
    this.addSql(`update chain_state set undo_from = null`)
    this.addSql(`delete from block_undo`)
    this.addSql(`analyze candle`)
  }

  /**
   * The moves of every market, in order: trades, the opening of the pool after a graduation, and what moved the price since the last of
   * them. The trades of a graduation's transaction come before it, others in its pool after it.
   */
  private makePoints(): void {
    this.addSql(`create temporary table price_point on commit drop as
      with moment as (
        select trade.token, timestamp, block_number, log_index, price_after_weth as price, amount_wei as volume, 1 as trades, eth_usd,
          case when trade.pool = token.graduated_pool and trade.tx_hash <> token.graduation_tx_hash then 2 else 0 end as part
        from trade join token on token.address = trade.token where price_after_weth is not null
        union all
        select address, migrated_at, 0, 0, graduated_price_weth, 0, 0, null, 1 from token
        where graduated_pool = main_pool and graduated_price_weth is not null
      ),
      known as (
        select * from moment
        union all
        select address, greatest(last_trade_at, migrated_at, created_at), 0, 0, price_weth, 0, 0, null, 3 from token where price_weth is not null
      ),
      placed as (
        select known.*, row_number() over moments as place, lag(price) over moments as was
        from known window moments as (partition by known.token order by timestamp, part, block_number, log_index)
      ),
      priced as (
        select placed.*, coalesce(was, token.first_price_weth) as before, price * eth_usd as usd
        from placed join token on token.address = placed.token
      )
      select token, timestamp, place, price, before, coalesce(volume, 0) as volume, trades, eth_usd, usd,
        case when usd is not null then coalesce(lag(usd) over (partition by token, usd is not null order by place), before * eth_usd) end as before_usd
      from priced`)
  }
}
