import type { QueryExecutorProvider } from 'kysely'

/** Anything that runs a statement: the ORM's pool (`em.getKysely()`), or the transaction that it is bound to inside `em.transactional`. */
export type Queryable = QueryExecutorProvider
