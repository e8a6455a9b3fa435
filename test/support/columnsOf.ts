import { type Column, ColumnType, type Entity, tableOf } from '#tables/columns.ts'

/**
 * All columns of an entity that are of `columns.ts`, which are all but the `json` ones. To be called before an ORM discovers the entity.
 */
export function columnsOf({ meta }: Entity): readonly Column[] {
  const own = Object.entries(meta.properties).filter(([, property]) => property.type instanceof ColumnType)
  return tableOf({ meta }, Object.fromEntries(own)).columns
}
