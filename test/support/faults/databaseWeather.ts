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

/** Faults after which the service does not know whether a reorg was replaced. Reorgs are rare, so some are chosen for them. */
const OF_REORGS: readonly DatabaseFault[] = [
  { name: 'connection lost before the commit of a reorg', weight: 1, misfortune: { kind: 'cut-before' } },
  { name: 'connection lost inside the commit of a reorg', weight: 1, misfortune: { kind: 'cut-inside' } },
  { name: 'connection lost after the commit of a reorg', weight: 2, misfortune: { kind: 'cut-after' } },
  { name: 'commit of a reorg that arrives late', weight: 1, misfortune: { kind: 'late', afterMs: 12 } },
]

export const DATABASE_FAULTS: readonly string[] = [...OF_COMMITS, ...OF_STATEMENTS, ...OF_REORGS].map(({ name }) => name)

export interface DatabaseWeather {
  /** @param replacing whether the request belongs to a transaction that replaces a reorg */
  misfortune(request: Request, replacing: boolean): DatabaseMisfortune | undefined
  /** The connection is lost at the commit of the next replacement, in any weather. */
  strikeReplacement(): void
  /** @param failing the share of commits that fail; other statements fail a tenth as often */
  storm(failing: number): void
  calm(): void
}

export function createDatabaseWeather(random: Random, hit: Hit): DatabaseWeather {
  let failing = 0
  let replacementStruck = false
  const pick = (faults: readonly DatabaseFault[]): DatabaseMisfortune | undefined => {
    const fault = faults[random.weighted(faults.map(({ weight }) => weight))]
    if (fault !== undefined) hit(fault.name)
    return fault?.misfortune
  }
  return {
    misfortune: ({ kind }, replacing) => {
      if (kind === 'commit' && replacing && replacementStruck) {
        replacementStruck = false
        return pick(OF_REORGS)
      }
      const share = kind === 'commit' ? failing : failing / 10
      if (kind === 'rollback' || !random.chance(share)) return undefined
      return pick(kind === 'commit' ? OF_COMMITS : OF_STATEMENTS)
    },
    strikeReplacement: () => {
      replacementStruck = true
    },
    storm: share => {
      failing = share
    },
    calm: () => {
      failing = 0
    },
  }
}
