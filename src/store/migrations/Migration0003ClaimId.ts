import { Migration } from '@mikro-orm/migrations'

/** Fees that lie in a Uniswap position until somebody collects them: no event tells how much, and the position's number is what collects it. */
export class Migration0003ClaimId extends Migration {
  override up(): void {
    this.addSql(`alter table creator_fee add column claim_id numeric`)
    this.addSql(`alter table creator_fee alter column accrued drop not null`)
  }
}
