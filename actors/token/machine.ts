import { assign, setup } from 'xstate'
import type { Subscription } from '#actors/ports.ts'
import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import type { TokenEvent } from './events.ts'
import { TokenUpdate } from './frame.ts'
import { isNewer } from './sequence.ts'
import type { SubscriberSet } from './subscriberSet.ts'

/** An actor that nobody watches passivates at this many sweeps in a row: a reconnecting client finds it alive. */
export const IDLE_SAMPLES = 6

const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 30_000

export interface TokenContext {
  readonly token: Address
  /** The actor's own; the one thing in here that effects change in place. */
  readonly subscribers: SubscriberSet
  /** What was last established: `undefined`: nothing yet; `null`: the token is not indexed. */
  readonly newest: TokenUpdate | null | undefined
  /** Failures in a row, of loads or of predecessors. */
  readonly failures: number
  /** When to load again; `null`: a load is on its way, or none is needed. */
  readonly retryAtMs: number | null
  readonly idleSamples: number
}

export interface TokenInput {
  readonly token: Address
  readonly subscribers: SubscriberSet
  /** Set when this actor replaces one that failed: it then begins with a pause instead of a load. */
  readonly replaces: { readonly failures: number; readonly nowMs: number } | null
}

/** What an actor does to the world. Nothing of it may throw. */
export interface TokenEffects {
  /** Begins to load the token; `loaded` or `loadFailed` is sent back later, never from inside this call. */
  load(token: Address): void
  /** The price to show USD values with. */
  ethUsd(): string | null
}

/** How long to wait after that many failures in a row, in ms. */
export function retryDelayMs(failures: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 16))
}

/**
 * The life of a token's actor:
 *
 * - `activating`: somebody watches the token and its state is being loaded. Who joins waits.
 * - `live`: the state is known (perhaps as "not indexed") and every newer one is passed on.
 * - `resyncing`: the state is, or may be, behind the database, and is loaded again until that works. Who joins is answered with what is
 *   known, or waits when nothing is.
 * - `passivated`: nobody watched for a while. Final; the next subscriber gets a new actor.
 *
 * A commit carries the token's full state, so it ends `activating` and `resyncing` as well as a load does. Whatever comes late and is not
 * newer changes nothing. Transitions are pure; what they cause is in the named actions.
 */
export function createTokenMachine(effects: TokenEffects) {
  const ethUsd = () => effects.ethUsd()
  return setup({
    types: {
      context: {} as TokenContext,
      events: {} as TokenEvent,
      input: {} as TokenInput,
    },
    guards: {
      isReplacement: ({ context }) => context.retryAtMs !== null,
      isKnown: ({ context }) => context.newest !== undefined,
      isNotIndexed: ({ context }, snapshot: TokenSnapshot | null) => snapshot === null && context.newest === undefined,
      isNewer: ({ context }, sequence: number | null) =>
        sequence !== null && isNewer(sequence, context.newest?.sequence ?? null, context.subscribers.told),
      isUnwatched: ({ context }) => context.subscribers.size === 0,
      isAbandoned: ({ context }) => context.subscribers.size === 0 && context.idleSamples + 1 >= IDLE_SAMPLES,
      isDue: ({ context }, nowMs: number) => context.retryAtMs !== null && nowMs >= context.retryAtMs,
    },
    actions: {
      accept: assign((_, newest: TokenUpdate | null) => ({ newest, failures: 0, retryAtMs: null })),
      forget: assign({ newest: null, failures: 0, retryAtMs: null }),
      settle: assign({ failures: 0, retryAtMs: null }),
      postpone: assign(({ context }, nowMs: number) => ({
        failures: context.failures + 1,
        retryAtMs: nowMs + retryDelayMs(context.failures + 1),
      })),
      expectLoad: assign({ retryAtMs: null }),
      countIdle: assign(({ context }) => ({ idleSamples: context.subscribers.size === 0 ? context.idleSamples + 1 : 0 })),
      load: ({ context }) => effects.load(context.token),
      wait: ({ context }, join: Join) => context.subscribers.wait(join.subscription, join.held),
      admit: ({ context }, join: Join) => context.subscribers.admit(join.subscription, join.held, context.newest ?? null, ethUsd),
      admitWaiting: ({ context }) => context.subscribers.admitWaiting(context.newest ?? null, ethUsd),
      remove: ({ context }, subscription: Subscription) => context.subscribers.remove(subscription),
      publish: ({ context }) => {
        if (context.newest) context.subscribers.update(context.newest, ethUsd)
      },
      resync: ({ context }) => {
        if (context.newest) context.subscribers.resync(context.newest, ethUsd)
      },
    },
  }).createMachine({
    id: 'token',
    context: ({ input }) => ({
      token: input.token,
      subscribers: input.subscribers,
      newest: undefined,
      failures: input.replaces?.failures ?? 0,
      retryAtMs: input.replaces === null ? null : input.replaces.nowMs + retryDelayMs(input.replaces.failures),
      idleSamples: 0,
    }),
    initial: 'beginning',
    on: {
      joined: [
        { guard: 'isKnown', actions: { type: 'admit', params: ({ event }) => event } },
        { actions: { type: 'wait', params: ({ event }) => event } },
      ],
      left: { actions: { type: 'remove', params: ({ event }) => event.subscription } },
      evicted: { guard: 'isUnwatched', target: '.passivated' },
      loadFailed: { target: '.resyncing', actions: postpone },
      dropped: { target: '.live', actions: ['forget', 'admitWaiting'] },
    },
    states: {
      beginning: { always: [{ guard: 'isReplacement', target: 'resyncing' }, { target: 'activating' }] },
      activating: {
        entry: 'load',
        on: {
          committed: { ...newerCommit, target: 'live', actions: [acceptCommit, 'publish', 'admitWaiting'] },
          loaded: settleByLoad,
          suspected: { actions: 'load' },
          swept: [passivate, { actions: 'countIdle' }],
        },
      },
      live: {
        on: {
          committed: { ...newerCommit, actions: [acceptCommit, 'publish'] },
          loaded: { ...newerLoad, actions: [acceptLoad, 'resync'] },
          suspected: { target: 'resyncing', actions: 'load' },
          swept: [passivate, { actions: 'countIdle' }],
        },
      },
      resyncing: {
        on: {
          committed: { ...newerCommit, target: 'live', actions: [acceptCommit, 'publish', 'admitWaiting'] },
          loaded: settleByLoad,
          suspected: { actions: ['expectLoad', 'load'] },
          swept: [passivate, { ...dueRetry, actions: ['countIdle', 'expectLoad', 'load'] }, { actions: 'countIdle' }],
        },
      },
      passivated: { type: 'final' },
    },
  })
}

type EventOf<Type extends TokenEvent['type']> = { readonly event: Extract<TokenEvent, { type: Type }> }

const newerCommit = { guard: { type: 'isNewer', params: ({ event }: EventOf<'committed'>) => event.snapshot.token.sequence } } as const

const newerLoad = { guard: { type: 'isNewer', params: ({ event }: EventOf<'loaded'>) => event.snapshot?.token.sequence ?? null } } as const

const dueRetry = { guard: { type: 'isDue', params: ({ event }: EventOf<'swept'>) => event.nowMs } } as const

const passivate = { guard: 'isAbandoned', target: 'passivated' } as const

const acceptCommit = {
  type: 'accept',
  params: ({ event }: EventOf<'committed'>) => new TokenUpdate(event.snapshot, event.completedAtMs),
} as const

const acceptLoad = {
  type: 'accept',
  params: ({ event }: EventOf<'loaded'>) => (event.snapshot === null ? null : new TokenUpdate(event.snapshot, null)),
} as const

const notIndexed = { guard: { type: 'isNotIndexed', params: ({ event }: EventOf<'loaded'>) => event.snapshot } } as const

const postpone = { type: 'postpone', params: ({ event }: EventOf<'loaded' | 'loadFailed'>) => event.nowMs } as const

/**
 * 1. The load is newer than what is known: it becomes what is known. 2. Nothing was known, and the token is not indexed. 3. Nothing newer was
 * missed: everybody was offered what is known when it became known. 4. It is older than what subscribers of a failed predecessor were told: the
 * database that was asked is behind.
 */
const settleByLoad = [
  { ...newerLoad, target: 'live', actions: [acceptLoad, 'resync', 'admitWaiting'] },
  { ...notIndexed, target: 'live', actions: [acceptLoad, 'admitWaiting'] },
  { guard: 'isKnown', target: 'live', actions: 'settle' },
  { target: 'resyncing', actions: [postpone] },
] as const

type Join = Pick<Extract<TokenEvent, { type: 'joined' }>, 'subscription' | 'held'>
