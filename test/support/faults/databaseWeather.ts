import type { Random } from '#devchain/traders/random.ts'
import type { Hit } from './hits.ts'
import type { Request } from './postgresMessages.ts'
import type { DatabaseMisfortune } from './postgresProxy.ts'

interface DatabaseFault {
  readonly name: string
  readonly weight: number
  readonly misfortune: DatabaseMisfortune
}

const error = (sqlState: string, message: string, fatal = false): DatabaseMisfortune => ({ kind: 'error', sqlState, message, fatal })

const OF_COMMITS: readonly DatabaseFault[] = [
  { name: 'connection lost before a commit', weight: 1, misfortune: { kind: 'cut-before' } },
  { name: 'connection lost inside a commit', weight: 1, misfortune: { kind: 'cut-inside' } },
  { name: 'connection lost after a commit', weight: 2, misfortune: { kind: 'cut-after' } },
  { name: 'commit that arrives late', weight: 1, misfortune: { kind: 'late', afterMs: 12 } },
  { name: 'serialization failure of a commit', weight: 1, misfortune: error('40001', 'could not serialize access') },
  { name: 'disk full at a commit', weight: 1, misfortune: error('53100', 'could not extend file "base/1/2": No space left on device') },
]

const OF_STATEMENTS: readonly DatabaseFault[] = [
  { name: 'connection lost before a statement', weight: 1, misfortune: { kind: 'cut-before' } },
  { name: 'connection lost after a statement', weight: 1, misfortune: { kind: 'cut-after' } },
  { name: 'deadlock', weight: 1, misfortune: error('40P01', 'deadlock detected') },
  { name: 'serialization failure', weight: 1, misfortune: error('40001', 'could not serialize access due to concurrent update') },
  { name: 'disk full', weight: 1, misfortune: error('53100', 'could not extend file "base/1/2": No space left on device') },
  {
    name: 'admin shutdown',
    weight: 1,
    misfortune: error('57P01', 'terminating connection due to administrator command', true),
  },
]

/** Rarer than commits of blocks, and harder to come back from. */
const OF_SWAPS = 'outcome of a swap unknown'
/** Least share of the swaps' commits that fail in any storm. */
const FAILING_SWAPS = 0.4

export const DATABASE_FAULTS: readonly string[] = [...[...OF_COMMITS, ...OF_STATEMENTS].map(({ name }) => name), OF_SWAPS]

export interface DatabaseWeather {
  /** @param swapping whether it is of a transaction that swaps a reorg */
  misfortune(request: Request, swapping: boolean): DatabaseMisfortune | undefined
  /** @param failing share of commits that fail; of other statements a tenth of that */
  storm(failing: number): void
  calm(): void
}

export function createDatabaseWeather(random: Random, hit: Hit): DatabaseWeather {
  let failing = 0
  return {
    misfortune: ({ kind }, swapping) => {
      const failingCommits = swapping && failing > 0 ? Math.max(failing, FAILING_SWAPS) : failing
      const share = kind === 'commit' ? failingCommits : failing / 10
      if (kind === 'rollback' || !random.chance(share)) return undefined
      const faults = kind === 'commit' ? OF_COMMITS : OF_STATEMENTS
      const fault = faults[random.weighted(faults.map(({ weight }) => weight))]
      if (fault !== undefined) hit(fault.name)
      if (kind === 'commit' && swapping && fault?.misfortune.kind !== 'error') hit(OF_SWAPS)
      return fault?.misfortune
    },
    storm: share => {
      failing = share
    },
    calm: () => {
      failing = 0
    },
  }
}
