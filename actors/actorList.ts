import type { ActorSort } from '#domain/health.ts'
import type { ActorState, ActorsQuery } from '#resources/actors.ts'
import type { ActorsHealth } from '#resources/health.ts'
import type { TokenActor } from './token/tokenActor.ts'

/** Counts actors by state, and their subscribers. Walks over all actors, so it is for the health page alone. */
export function countActors(actors: Iterable<TokenActor>): ActorsHealth {
  const byState: Record<string, number> = { activating: 0, live: 0, resyncing: 0 }
  let total = 0
  let subscribers = 0
  for (const actor of actors) {
    total++
    byState[actor.name] = (byState[actor.name] ?? 0) + 1
    subscribers += actor.subscribers.size
  }
  return { total, byState, subscribers }
}

export function listActors(actors: Iterable<TokenActor>, { state, sort, limit }: ActorsQuery): readonly ActorState[] {
  return [...actors]
    .filter(actor => state === undefined || actor.name === state)
    .map(actor => ({ actor, key: sortKey(actor, sort) }))
    .sort((a, b) => compareDescending(a.key, b.key))
    .slice(0, limit)
    .map(({ actor }) => actor.state())
}

function sortKey(actor: TokenActor, sort: ActorSort): number | string | null {
  switch (sort) {
    case 'subscribers':
      return actor.subscribers.size
    case 'sequence':
      return actor.sequence
    case 'lastUpdateAt':
      return actor.lastUpdateAt
  }
}

/** Compares keys of one sort, which have one type. `null` comes last. */
function compareDescending(a: number | string | null, b: number | string | null): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? 1 : -1
}
