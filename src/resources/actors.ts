import { z } from 'zod'
import { integerParameter, tokenParameter, wordParameter } from './parameters.ts'
import { defineResource, listSchema } from './resource.ts'
import { addressText, count, integerText, SEQUENCE_MEANING, sequence, timeText, type Wire } from './values.ts'

const ACTOR_STATE_NAMES = ['activating', 'live', 'resyncing', 'passivated'] as const
export type ActorStateName = (typeof ACTOR_STATE_NAMES)[number]

const ACTOR_SORTS = ['subscribers', 'sequence', 'lastUpdateAt'] as const
export type ActorSort = (typeof ACTOR_SORTS)[number]

const actorStateSchema = z
  .object({
    token: addressText.describe('Address of the token.'),
    state: z.enum(ACTOR_STATE_NAMES).describe('State of the actor.'),
    sequence: sequence.nullable().describe(`${SEQUENCE_MEANING} \`null\`: the token is not indexed, or not read yet.`),
    subscribers: z
      .object({
        webSocket: count.describe('Number of WebSocket subscribers.'),
        eventStream: count.describe('Number of SSE subscribers.'),
        lagging: count.describe('Number of subscribers with an unsent update.'),
      })
      .describe('Subscribers of the token.'),
    lastUpdateAt: timeText.nullable().describe('Commit time of the newest state. `null`: there is no state yet.'),
    lastBlock: integerText.nullable().describe('Number of the block of the newest state. `null`: there is no state yet.'),
    frameBytes: count.nullable().describe('Size in bytes of the encoded update without its trades. `null`: none was encoded yet.'),
    activatedAt: timeText.describe('When the actor was started.'),
    eventsHandled: count.describe('Number of events that the actor has handled since `activatedAt`.'),
    conflated: count.describe('Number of updates since `activatedAt` that a newer one replaced before they were written.'),
  })
  .meta({ id: 'ActorState', description: 'State of one token’s actor in this process.' })

export type ActorState = Wire<typeof actorStateSchema>

export const actors = defineResource({
  id: 'listActors',
  tag: 'Health',
  path: '/api/indexer/health/actors',
  summary: 'The actors of this process',
  parameters: z.object({
    state: wordParameter(ACTOR_STATE_NAMES).exactOptional().describe('Only actors in this state.'),
    sort: wordParameter(ACTOR_SORTS).default('subscribers').describe('What the actors are sorted by, the largest or newest first.'),
    limit: integerParameter(1, 500).default(50).describe('Maximum number of actors returned.'),
  }),
  answer: listSchema(actorStateSchema).omit({ asOfBlock: true }).meta({ id: 'ActorList', description: 'Actors, in one page.' }),
  access: 'operator',
  cacheControl: 'never',
  problems: [],
})

export const actor = defineResource({
  id: 'getActor',
  tag: 'Health',
  path: '/api/indexer/health/actors/:address',
  summary: 'The actor of a token',
  parameters: z.object({ address: tokenParameter }),
  answer: actorStateSchema,
  access: 'operator',
  cacheControl: 'never',
  problems: ['not_found'],
})

export type ActorsQuery = z.output<typeof actors.parameters>
