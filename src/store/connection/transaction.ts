import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/postgresql'
import { CompiledQuery } from 'kysely'
import { causes, codeOf } from './databaseErrors.ts'
import type { Queryable } from './databaseSchema.ts'

/**
 * Runs work in one transaction: committed when it resolves, rolled back when it rejects. Its statements run in the order in which they are
 * sent. A statement may be sent before earlier ones are answered; after one that fails, all others fail.
 */
export type Transaction = <T>(work: (db: TransactionDb) => Promise<T | LastStatements<T>>) => Promise<T>

export interface TransactionDb extends Queryable {
  /** Has statements run after the commit, which neither waits for them nor fails with them. They may never run. */
  afterCommit(statements: Statements): void
}

type Statements = (db: Queryable) => Promise<unknown>

const IN_FAILED_TRANSACTION = '25P02'
/** The most commits whose statements wait for those of earlier ones. */
const MAX_WAITING = 64

/** The result of statements that are sent but not answered. The commit is sent right behind them, and fails if one of them fails. */
export class LastStatements<T> {
  readonly result: Promise<T>

  constructor(result: Promise<T>) {
    this.result = result
  }
}

/**
 * Transactions over the ORM's pool. When the connection is lost during the commit, the outcome is unknown. The connection always goes back
 * to the pool. With `em.transactional`, a connection whose `begin` or `rollback` fails would be lost to the pool, until the pool is empty.
 *
 * @throws what the first failed statement threw, else what the work or the commit threw
 */
export function createTransaction(orm: Pick<MikroORM, 'em'>): Transaction {
  const follow = inTurns(orm)
  return async work => {
    const pool = orm.em.getKysely<unknown>().getExecutor()
    const following: Statements[] = []
    const value = await pool.provideConnection(async connection => {
      let hasEnded = false
      let firstFailure: unknown
      // `Kysely.connection()` would send each statement after the answer to the one before it.
      const executor = pool.withConnectionProvider({
        provideConnection: async consumer => {
          if (hasEnded) throw new Error('the transaction has ended')
          return consumer(connection).catch((error: unknown) => {
            firstFailure ??= error
            throw error
          })
        },
      })
      await connection.executeQuery(CompiledQuery.raw('begin'))
      try {
        const last = await work({ getExecutor: () => executor, afterCommit: statements => void following.push(statements) })
        const result = last instanceof LastStatements ? last.result : Promise.resolve(last)
        // By the next turn, a statement that the driver could not send has failed. The server would commit the others.
        await Promise.race([result, nextTurn()])
        hasEnded = true
        const [committed] = await Promise.all([result, connection.executeQuery(CompiledQuery.raw('commit'))])
        return committed
      } catch (error) {
        hasEnded = true
        // If the rollback fails, the connection is lost, and the server rolls back.
        await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined)
        throw isAborted(error) ? firstFailure : error
      }
    })
    following.forEach(follow)
    return value
  }
}

/** Runs one after the other, on one connection of the pool, what need not run. */
function inTurns(orm: Pick<MikroORM, 'em'>): (statements: Statements) => void {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return statements => {
    if (waiting === MAX_WAITING) return
    waiting++
    last = last
      .then(() => statements(orm.em.getKysely()))
      .catch(() => undefined)
      .finally(() => waiting--)
  }
}

/** Whether the error says only that an earlier statement of the transaction has failed. */
function isAborted(error: unknown): boolean {
  return causes(error).some(link => codeOf(link) === IN_FAILED_TRANSACTION)
}

/** Runs the transactions of all callers one after the other, so that a commit's result is emitted before the next commit begins. */
export function oneAtATime(transaction: Transaction): Transaction {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const mine = last.then(() => transaction(work))
    last = mine.catch(() => undefined)
    return mine
  }
}
