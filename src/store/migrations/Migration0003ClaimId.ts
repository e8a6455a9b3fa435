import { Migration } from '@mikro-orm/migrations'

/**
 * Fees that accrue in a Uniswap position: no event has their amount, and the position's number is an argument of the call that collects
 * them.
 */
export class Migration0003ClaimId extends Migration {
  override up(): void {
    this.addSql(`alter table creator_fee add column claim_id numeric`)
    this.addSql(`alter table creator_fee alter column accrued drop not null`)
  }
}
