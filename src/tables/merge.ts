/** The SQL expression of a column's value after an insert met a stored row of the same key, from the stored and the inserted value. */
export type Merge = (stored: string, inserted: string) => string

export const replace: Merge = (_stored, inserted) => inserted

export const keepFirst: Merge = (stored, inserted) => `coalesce(${stored}, ${inserted})`

export const keepLast: Merge = (stored, inserted) => `coalesce(${inserted}, ${stored})`

/** Ignores nulls, as `least` and `sum` do. */
export const greatest: Merge = (stored, inserted) => `greatest(${stored}, ${inserted})`

export const least: Merge = (stored, inserted) => `least(${stored}, ${inserted})`

export const sum: Merge = (stored, inserted) => `coalesce(${stored} + ${inserted}, ${stored}, ${inserted})`
