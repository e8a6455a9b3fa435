/** Who may ask a provider now, and who has to wait. */
export interface Turns {
  /** Runs the work when it is its turn. */
  take<T>(work: () => Promise<T>): Promise<T>
  /** The provider has answered. */
  answered(): void
  /** It wants to be asked less. */
  refused(): void
}

/** So many at the same time are as good as any number. */
const UNBOUNDED_FROM = 32

/**
 * Lets everybody ask at the same time, until the provider refuses: then one after the other, and slowly more at a time with each answer. After a silence all
 * who waited would ask at once, and most of them be refused.
 */
export function createTurns(): Turns {
  let most = Number.POSITIVE_INFINITY
  let underWay = 0
  const waiting: (() => void)[] = []
  const admit = () => {
    while (underWay < Math.floor(most)) {
      const next = waiting.shift()
      if (next === undefined) return
      underWay++
      next()
    }
  }
  return {
    take: async work => {
      const turn = Promise.withResolvers<void>()
      waiting.push(turn.resolve)
      admit()
      await turn.promise
      try {
        return await work()
      } finally {
        underWay--
        admit()
      }
    },
    answered: () => {
      most += 1 / most
      if (most >= UNBOUNDED_FROM) most = Number.POSITIVE_INFINITY
      admit()
    },
    refused: () => {
      most = 1
    },
  }
}
