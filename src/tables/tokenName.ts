import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'

const properties = {
  token: column.address().primary(),
  name: column.text(),
}

/**
 * The name of each token that has one, for the search by words and by endings. A trade rewrites the token's row and all of its index
 * entries, but a name hardly ever changes, so its indexes are on this table.
 */
export const TokenNameEntity = defineEntity({
  name: 'TokenName',
  tableName: 'token_name',
  properties,
  indexes: [
    {
      name: 'token_name_by_suffix',
      expression: 'create index token_name_by_suffix on token_name (reverse(lower(name)) text_pattern_ops)',
    },
    {
      name: 'token_name_by_words',
      expression: `create index token_name_by_words on token_name using gin (to_tsvector('simple', name)) with (fastupdate = off)`,
    },
  ],
})
