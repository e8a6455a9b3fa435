import { Migration } from '@mikro-orm/migrations'

/** Trades over all tokens, by wallet and by size, and totals per launchpad. Reads all trades three times. */
export class Migration0016Market extends Migration {
  override up(): void {
    this.addSql(`create index trade_by_wallet on trade (maker, side, block_number, log_index)`)
    // Only of large trades, by the largest size in wei that they reach (0.1, 0.2, 0.5, 1 ... 500 WETH).
    const size = `width_bucket(amount_wei, '{${SIZES.join(',')}}'::numeric[])`
    this.addSql(`create index trade_by_size on trade ((${size}), block_number, log_index) where amount_wei >= ${SIZES[0]}`)
    this.addSql(
      `create index trade_by_token_size on trade (token, ((${size})::smallint), block_number, log_index) where amount_wei >= ${SIZES[0]}`,
    )

    this.addSql(`create table launchpad_totals (
      launchpad text primary key,
      tokens integer not null,
      bonding integer not null,
      completed integer not null,
      migrated integer not null,
      trades_h24 bigint not null,
      volume_h24 numeric not null
    )`)
    this.addSql(`insert into launchpad_totals select launchpad, count(*), count(*) filter (where graduation_status = 'bonding'),
      count(*) filter (where graduation_status = 'completed'), count(*) filter (where graduation_status = 'migrated'), sum(trades_h24), sum(volume_h24)
      from token group by launchpad`)
    // The images of earlier blocks lack this table, so only later blocks can be undone.
    this.addSql(`update chain_state set undo_from = null`)
    this.addSql(`delete from block_undo`)
    this.addSql(`alter table block_undo drop constraint block_undo_table_name_check`)
    this.addSql(`alter table block_undo add constraint block_undo_table_name_check
      check (table_name in ('token', 'pool', 'balance', 'candle', 'creator_fee', 'trader', 'index_totals', 'launchpad_totals'))`)
    this.addSql(`analyze trade`)
  }
}

const SIZES = [
  '100000000000000000',
  '200000000000000000',
  '500000000000000000',
  '1000000000000000000',
  '2000000000000000000',
  '5000000000000000000',
  '10000000000000000000',
  '20000000000000000000',
  '50000000000000000000',
  '100000000000000000000',
  '200000000000000000000',
  '500000000000000000000',
]
