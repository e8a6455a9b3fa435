import { Migration } from '@mikro-orm/migrations'

/**
 * The volume of candles in tokens. Those of yesterday and today get it from their trades; earlier ones have none. A reorg of blocks that
 * were indexed before restores their candles without it.
 */
export class Migration0024TokenVolume extends Migration {
  override up(): void {
    this.addSql(`alter table candle add column volume_token numeric`)
    this.addSql(`drop index candle_by_time`)
    this.addSql(`update candle set volume_token = traded.volume
      from (
        select trade.token, trade.timestamp - trade.timestamp % length.seconds as time, length.seconds, sum(trade.amount_token) as volume
        from (select cursor_timestamp - 86400 - cursor_timestamp % 86400 as since from chain_state) as yesterday
        cross join trade cross join (values (60), (300), (900), (3600), (14400), (86400)) as length (seconds)
        where trade.timestamp >= yesterday.since
        group by 1, 2, 3
      ) as traded
      where candle.token = traded.token and candle.time = traded.time and candle.interval_seconds = traded.seconds`)
    this.addSql(`create index candle_by_time on candle (token, interval_seconds, in_usd, time) include (open, high, low, close, volume_wei, trades,
      volume_token, open_quote, high_quote, low_quote, close_quote, volume_quote, open_usd, high_usd, low_usd, close_usd, volume_usd, trades_usd)`)
  }
}
