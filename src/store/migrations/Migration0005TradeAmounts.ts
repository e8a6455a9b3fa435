import { Migration } from '@mikro-orm/migrations'

/** Adds the indexes that list a token's trades by their value. */
export class Migration0005TradeAmounts extends Migration {
  static readonly keepsImages = true

  override up(): void {
    this.addSql(
      `create index trade_by_token_amount on trade (token, (side = 'buy'), amount_wei, block_number, log_index) where amount_wei is not null`,
    )
  }
}
