import { Migration } from '@mikro-orm/migrations'

/**
 * Likeness is looked for among neighbours in the alphabet, read from either end, and among names with the typed words: a bounded number of entries, where
 * trigrams gave all tokens that share some letters. Reads all tokens twice: a second for 100,000 of them.
 */
export class Migration0010Search extends Migration {
  override up(): void {
    for (const column of ['symbol', 'name']) this.addSql(`drop index token_by_${column}_similarity`)
    this.addSql(`create index token_by_name_suffix on token (reverse(lower(name)) text_pattern_ops)`)
    // Without a list of pending entries, which every search would read through.
    this.addSql(`create index token_by_name_words on token using gin (to_tsvector('simple', name)) with (fastupdate = off)`)
  }
}
