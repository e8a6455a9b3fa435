import { Migration } from '@mikro-orm/migrations'

/** Of a token that has not been traded since its graduation, the price is still the one at which the pool opened. */
export class Migration0013GraduatedPrice extends Migration {
  override up(): void {
    this.addSql(`alter table token add column graduated_price_weth numeric`)
    this.addSql(`update token set graduated_price_weth = price_weth where graduated_pool = main_pool and not exists (
      select from trade where trade.token = token.address and trade.pool = token.graduated_pool
    )`)
  }
}
