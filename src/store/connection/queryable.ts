import type { QueryExecutorProvider } from 'kysely'

/** What runs a statement: the ORM's pool (`em.getKysely()`), or one connection of it in a transaction. */
export type Queryable = QueryExecutorProvider
