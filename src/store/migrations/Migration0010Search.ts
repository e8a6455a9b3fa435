import { Migration } from '@mikro-orm/migrations'

/**
 * Similar tokens are searched among the neighbours in alphabetical order, of the text and of its reverse, and among names with the typed
 * words: a bounded number of entries. Trigrams gave all tokens that share some letters. Reads all tokens twice: one second for 100,000.
 */
export class Migration0010Search extends Migration {
  override up(): void {
    for (const column of ['symbol', 'name']) this.addSql(`drop index token_by_${column}_similarity`)
    this.addSql(`create index token_by_name_suffix on token (reverse(lower(name)) text_pattern_ops)`)
    // Without a list of pending entries, which every search would scan.
    this.addSql(`create index token_by_name_words on token using gin (to_tsvector('simple', name)) with (fastupdate = off)`)
  }
}
