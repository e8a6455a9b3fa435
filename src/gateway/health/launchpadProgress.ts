import type { Config } from '#config'
import type { LaunchpadProgress } from '#resources/health.ts'
import type { IndexerState } from '#resources/indexerState.ts'

/** How far the launchpads of the index are indexed, and those that are yet to join it. */
export function launchpadProgress(
  { launchpads: { launchpads: inForce } }: Pick<Config, 'launchpads'>,
  { launchpads = [], indexedBlock, lagBlocks }: Pick<IndexerState, 'launchpads' | 'indexedBlock' | 'lagBlocks'>,
): readonly LaunchpadProgress[] {
  const changing = new Map(launchpads.map(one => [one.name, one]))
  const ofIndex = {
    indexedBlock: indexedBlock === null ? null : String(indexedBlock),
    blocksLeft: lagBlocks,
    eventsPerSecond: null,
    secondsLeft: null,
  }
  const names = new Set(inForce.map(({ name }) => name))
  return [
    ...inForce.map(({ name }) => changing.get(name) ?? { name, state: 'joined' as const, ...ofIndex }),
    ...launchpads.filter(({ name }) => !names.has(name)),
  ]
}
