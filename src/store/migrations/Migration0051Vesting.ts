import { Migration } from '@mikro-orm/migrations'

/**
 * What was claimed of vesting tokens, and when all have vested. Of earlier tokens the end is not known until the next claim, or until the
 * index is built anew.
 */
export class Migration0051Vesting extends Migration {
  override up(): void {
    this.addSql(`alter table token add column vesting_claimed numeric, add column vesting_ends_at bigint`)
    this.addSql(`update token set vesting_claimed = fee.claimed
      from (select token, max(claimed) as claimed from creator_fee where accrued is null and currency = token and claim_id is null group by token) as fee
      where token.address = fee.token`)
    // The images of earlier blocks lack these columns, so only later blocks can be undone.
    this.addSql(`update chain_state set undo_from = null`)
    this.addSql(`delete from block_undo`)
  }
}
