import { assign, setup } from 'xstate'
import type { Subscription } from '#actors/subscription.ts'
import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'
import type { ActorEvent } from './actorEvent.ts'
import { FramedSnapshot } from './frame.ts'
import { isNewer } from './sequence.ts'
import type { SubscriberSet } from './subscriberSet.ts'

/** An actor without subscribers passivates after this many sweeps, so that a reconnecting client still finds it live. */
export const IDLE_SWEEPS = 6

const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000

export interface TokenContext {
  readonly token: Address
  /** Mutable, unlike the rest of the context: only the actions below change it. */
  readonly subscribers: SubscriberSet
  /** The newest known state; `null`: the token is not indexed; `undefined`: not known yet. */
  readonly newest: FramedSnapshot | null | undefined
  /** Consecutive failures, of loads or of replaced actors. */
  readonly failures: number
  /** When to load again; `null`: a load is pending, or none is needed. */
  readonly retryAtMs: number | null
  readonly idleSweeps: number
}

export interface TokenInput {
  readonly token: Address
  readonly subscribers: SubscriberSet
  /** Set when this actor replaces a failed one: it then starts with a back-off instead of a load. */
  readonly replaces: { readonly failures: number; readonly nowMs: number } | null
}

export interface TokenEffects {
  /** Starts to load the token and must not throw. `loaded` or `loadFailed` is sent later, never from inside this call. */
  load(token: Address): void
  ethUsd(): string | null
}

export function loadRetryMs(failures: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 16))
}

/**
 * The states of a token's actor:
 *
 * - `activating`: its first event brings the token's first state (before it, `UnknownToken` has the subscribers).
 * - `live`: the state is known (possibly as "not indexed"), and every newer one is sent to the subscribers.
 * - `resyncing`: the state is or may be older than the database's, and is loaded until a load succeeds. A new subscriber is answered with
 *   the known state, and waits if there is none.
 * - `passivated`: there was no subscriber for a while. Final; the next subscriber gets a new actor.
 *
 * A commit carries the token's full state, so it ends `resyncing` as a load does. A late state that is not newer changes
 * nothing.
 */
export function createTokenMachine(effects: TokenEffects) {
  const ethUsd = () => effects.ethUsd()
  return setup({
    types: {
      context: {} as TokenContext,
      events: {} as ActorEvent,
      input: {} as TokenInput,
    },
    guards: {
      isReplacement: ({ context }) => context.retryAtMs !== null,
      isKnown: ({ context }) => context.newest !== undefined,
      isNotIndexed: ({ context }, snapshot: TokenSnapshot | null) => snapshot === null && context.newest === undefined,
      isNewer: ({ context }, sequence: number | null) =>
        sequence !== null && isNewer(sequence, context.newest?.sequence ?? null, context.subscribers.newestSent),
      hasNoSubscribers: ({ context }) => context.subscribers.size === 0,
      isIdle: ({ context }) => context.subscribers.size === 0 && context.idleSweeps + 1 >= IDLE_SWEEPS,
      isDue: ({ context }, nowMs: number) => context.retryAtMs !== null && nowMs >= context.retryAtMs,
    },
    actions: {
      accept: assign((_, newest: FramedSnapshot | null) => ({ newest, failures: 0, retryAtMs: null })),
      forget: assign({ newest: null, failures: 0, retryAtMs: null }),
      settle: assign({ failures: 0, retryAtMs: null }),
      postpone: assign(({ context }, nowMs: number) => ({
        failures: context.failures + 1,
        retryAtMs: nowMs + loadRetryMs(context.failures + 1),
      })),
      expectLoad: assign({ retryAtMs: null }),
      beginIdle: assign({ idleSweeps: 0 }),
      countIdle: assign(({ context }) => ({ idleSweeps: context.subscribers.size === 0 ? context.idleSweeps + 1 : 0 })),
      load: ({ context }) => effects.load(context.token),
      wait: ({ context }, join: Join) => context.subscribers.wait(join.subscription, join.lastSequence),
      admit: ({ context }, join: Join) => context.subscribers.admit(join.subscription, join.lastSequence, context.newest ?? null, ethUsd),
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
      retryAtMs: input.replaces === null ? null : input.replaces.nowMs + loadRetryMs(input.replaces.failures),
      idleSweeps: 0,
    }),
    initial: 'beginning',
    on: {
      joined: [
        { guard: 'isKnown', actions: { type: 'admit', params: ({ event }) => event } },
        { actions: { type: 'wait', params: ({ event }) => event } },
      ],
      // Joins may bypass the machine (`TokenActor.join`), so the count of sweeps begins when a subscriber leaves.
      left: { actions: [{ type: 'remove', params: ({ event }) => event.subscription }, 'beginIdle'] },
      evicted: { guard: 'hasNoSubscribers', target: '.passivated' },
      loadFailed: { target: '.resyncing', actions: postpone },
      dropped: { target: '.live', actions: ['forget', 'admitWaiting'] },
    },
    states: {
      beginning: { always: [{ guard: 'isReplacement', target: 'resyncing' }, { target: 'activating' }] },
      activating: {
        on: {
          committed: { ...newerCommit, target: 'live', actions: [acceptCommit, 'publish', 'admitWaiting'] },
          loaded: settleByLoad,
        },
      },
      live: {
        on: {
          committed: { ...newerCommit, actions: [acceptCommit, 'publish'] },
          loaded: { ...newerLoad, actions: [acceptLoad, 'resync'] },
          stale: { target: 'resyncing', actions: 'load' },
          swept: [passivate, { actions: 'countIdle' }],
        },
      },
      resyncing: {
        on: {
          committed: { ...newerCommit, target: 'live', actions: [acceptCommit, 'publish', 'admitWaiting'] },
          loaded: settleByLoad,
          stale: { actions: ['expectLoad', 'load'] },
          swept: [passivate, { ...dueRetry, actions: ['countIdle', 'expectLoad', 'load'] }, { actions: 'countIdle' }],
        },
      },
      passivated: { type: 'final' },
    },
  })
}

type EventOf<Type extends ActorEvent['type']> = { readonly event: Extract<ActorEvent, { type: Type }> }

const newerCommit = { guard: { type: 'isNewer', params: ({ event }: EventOf<'committed'>) => event.snapshot.token.sequence } } as const

const newerLoad = { guard: { type: 'isNewer', params: ({ event }: EventOf<'loaded'>) => event.snapshot?.token.sequence ?? null } } as const

const dueRetry = { guard: { type: 'isDue', params: ({ event }: EventOf<'swept'>) => event.nowMs } } as const

const passivate = { guard: 'isIdle', target: 'passivated' } as const

const acceptCommit = {
  type: 'accept',
  params: ({ event }: EventOf<'committed'>) => new FramedSnapshot(event.snapshot, event.completedAtMs),
} as const

const acceptLoad = {
  type: 'accept',
  params: ({ event }: EventOf<'loaded'>) => (event.snapshot === null ? null : new FramedSnapshot(event.snapshot, null)),
} as const

const notIndexed = { guard: { type: 'isNotIndexed', params: ({ event }: EventOf<'loaded'>) => event.snapshot } } as const

const postpone = { type: 'postpone', params: ({ event }: EventOf<'loaded' | 'loadFailed'>) => event.nowMs } as const

/**
 * A finished load:
 *
 * 1. It is newer than the known state and replaces it.
 * 2. No state was known, and the token is not indexed.
 * 3. It is not newer than the known state, which every subscriber has been offered: no update was missed.
 * 4. It is older than what subscribers of a failed predecessor have received: the database that was read lags behind. Load again later.
 */
const settleByLoad = [
  { ...newerLoad, target: 'live', actions: [acceptLoad, 'resync', 'admitWaiting'] },
  { ...notIndexed, target: 'live', actions: [acceptLoad, 'admitWaiting'] },
  { guard: 'isKnown', target: 'live', actions: 'settle' },
  { target: 'resyncing', actions: [postpone] },
] as const

type Join = Pick<Extract<ActorEvent, { type: 'joined' }>, 'subscription' | 'lastSequence'>
