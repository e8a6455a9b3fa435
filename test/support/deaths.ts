import { sql } from 'kysely'
import type { Random } from '#devchain/traders/random.ts'
import type { OpenIndexOptions } from './simulatedIndex.ts'

/** Processes that are killed at random, within their transactions. */
export interface Deaths {
  /** Ends a process within one of its transactions: before its commit, with the connection, or after it, when the answer is lost. */
  readonly around: NonNullable<OpenIndexOptions['around']>
  /** Runs a step of a process. @returns whether the process has survived it */
  survives(step: () => Promise<unknown>): Promise<boolean>
}

export function createDeaths(random: Random): Deaths {
  /** The transactions until the process dies; `null`: it lives. */
  let left: number | null = null
  let isDead = false
  return {
    around: transaction => async work => {
      const isLast = left === 0
      if (left !== null) left--
      const isBefore = isLast && random.chance(0.5)
      isDead ||= isLast
      const result = await transaction(async tx => {
        const result = await work(tx)
        if (isBefore) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
        return result
      })
      if (isLast) throw new Error('the process is dead')
      return result
    },
    survives: async step => {
      left = random.chance(0.4) ? random.integer(0, 3) : null
      isDead = false
      try {
        await step()
        return true
      } catch (error) {
        if (!isDead) throw error
        return false
      } finally {
        left = null
      }
    },
  }
}
