import type { Subscription } from '#actors/subscription.ts'
import type { ActorStateName } from '#resources/actors.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { FramedSnapshot } from './frame.ts'
import type { SubscriberSet } from './subscriberSet.ts'

/** The number of sweeps after which an actor without subscribers passivates. A client that reconnects before still finds it live. */
export const IDLE_SWEEPS = 6

const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000

/**
 * The state of a token's actor, by name:
 *
 * - `activating`: the token is loaded for the first time. Subscribers wait.
 * - `live`: the token's state is known (possibly as "not indexed"), and subscribers are sent every newer one.
 * - `resyncing`: the known state may be older than the database's, which is loaded until a load succeeds. A new subscriber is answered with
 *   the known state, and waits if there is none.
 * - `passivated`: there was no subscriber for a while. Final; the next subscriber gets a new actor.
 */
export interface TokenState {
  readonly name: ActorStateName
  /** The newest known state of the token; `null`: the token is not indexed; `undefined`: not known yet. */
  readonly newest: FramedSnapshot | null | undefined
  /** Consecutive failures, of loads or of replaced actors. */
  readonly failures: number
  /** When to load again, as monotonic time in ms; `null`: a load is pending, or none is needed. */
  readonly retryAtMs: number | null
  readonly idleSweeps: number
}

/** An effect that the actor performs after an event. */
export type TokenEffect =
  | { readonly type: 'load' }
  /** Has the subscriber wait for the token's state, or answers it with that. */
  | { readonly type: 'wait' | 'admit'; readonly joined: Extract<ActorEvent, { type: 'joined' }> }
  | { readonly type: 'remove'; readonly left: Extract<ActorEvent, { type: 'left' }> }
  /** Answers all subscribers that wait with the newest state. */
  | { readonly type: 'admitWaiting' }
  /** Sends all others the newest state, as the update of a commit or as a snapshot. */
  | { readonly type: 'update' | 'resync' }

interface Step {
  readonly state: TokenState
  readonly effects: readonly TokenEffect[]
}

export const ACTIVATING: TokenState = { name: 'activating', newest: undefined, failures: 0, retryAtMs: null, idleSweeps: 0 }

/** The first state of an actor that replaces a failed one, which begins with a pause. */
export function replacing(failures: number, nowMs: number): TokenState {
  return failed({ ...ACTIVATING, failures: failures - 1 }, nowMs)
}

/** The pause after a number of failures in a row: 1 s, doubled up to 30 s. */
export function loadRetryMs(failures: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 16))
}

/**
 * The state after an event, and the effects to perform in order. Pure. A commit carries the token's full state, so it ends `resyncing` as a
 * load does. A state that is not newer changes nothing.
 */
export function afterTokenEvent(state: TokenState, event: ActorEvent, subscribers: Pick<SubscriberSet, 'size' | 'newestSent'>): Step {
  switch (event.type) {
    case 'joined':
      return { state, effects: [{ type: state.newest === undefined ? 'wait' : 'admit', joined: event }] }
    case 'left':
      return { state: { ...state, idleSweeps: 0 }, effects: [{ type: 'remove', left: event }] }
    case 'committed':
      if (!accepts(state, event.snapshot.token.sequence, subscribers)) return { state, effects: [] }
      return {
        state: known(state, new FramedSnapshot(event.snapshot, event.completedAtMs, state.newest?.sentStates)),
        effects: [UPDATE, ADMIT_WAITING],
      }
    case 'loaded':
      return afterLoad(state, event, subscribers)
    case 'loadFailed':
      return { state: failed(state, event.nowMs), effects: [] }
    case 'stale':
      return { state: { ...state, name: state.name === 'live' ? 'resyncing' : state.name, retryAtMs: null }, effects: [LOAD] }
    case 'dropped':
      return { state: known(state, null), effects: [ADMIT_WAITING] }
    case 'swept':
      return afterSweep(state, event.nowMs, subscribers.size > 0)
    case 'evicted':
      return { state: subscribers.size === 0 ? { ...state, name: 'passivated' } : state, effects: [] }
  }
}

function afterLoad(
  state: TokenState,
  { snapshot, nowMs }: Extract<ActorEvent, { type: 'loaded' }>,
  subscribers: Pick<SubscriberSet, 'newestSent'>,
): Step {
  if (snapshot !== null && accepts(state, snapshot.token.sequence, subscribers)) {
    return { state: known(state, new FramedSnapshot(snapshot, null, state.newest?.sentStates)), effects: [RESYNC, ADMIT_WAITING] }
  }
  // Every subscriber has been offered the known state, and it is not older: no update was missed.
  if (state.newest !== undefined) return { state: known(state, state.newest), effects: [] }
  if (snapshot === null) return { state: known(state, null), effects: [ADMIT_WAITING] }
  // The state is older than the one that a failed predecessor has sent, so the database that was read lags behind.
  return { state: failed(state, nowMs), effects: [] }
}

function afterSweep(state: TokenState, nowMs: number, hasSubscribers: boolean): Step {
  const idleSweeps = hasSubscribers ? 0 : state.idleSweeps + 1
  if (idleSweeps >= IDLE_SWEEPS) return { state: { ...state, name: 'passivated' }, effects: [] }
  const isDue = state.retryAtMs !== null && nowMs >= state.retryAtMs
  if (isDue) return { state: { ...state, idleSweeps, retryAtMs: null }, effects: [LOAD] }
  return { state: { ...state, idleSweeps }, effects: [] }
}

function accepts({ newest }: TokenState, sequence: number, { newestSent }: Pick<SubscriberSet, 'newestSent'>): boolean {
  return isNewer(sequence, newest?.sequence ?? null, newestSent)
}

function known(state: TokenState, newest: FramedSnapshot | null): TokenState {
  return { name: 'live', newest, failures: 0, retryAtMs: null, idleSweeps: state.idleSweeps }
}

function failed(state: TokenState, nowMs: number): TokenState {
  const failures = state.failures + 1
  return { ...state, name: 'resyncing', failures, retryAtMs: nowMs + loadRetryMs(failures) }
}

const LOAD: TokenEffect = { type: 'load' }
const UPDATE: TokenEffect = { type: 'update' }
const RESYNC: TokenEffect = { type: 'resync' }
const ADMIT_WAITING: TokenEffect = { type: 'admitWaiting' }

/**
 * Whether a state may replace the current one: only if its sequence is larger. An equal one has come in another way before (by a load and
 * by the update of the same commit), and a smaller one is late. An actor that replaces a failed one has no current state: it accepts a
 * state as new as the newest one that subscribers were sent, but no older one.
 */
export function isNewer(offered: number, current: number | null, newestSent: number | null): boolean {
  return (current === null || offered > current) && (newestSent === null || offered >= newestSent)
}

/** A message to a token's actor. Times are monotonic, in ms. */
export type ActorEvent =
  /** A subscribe, perhaps a repeated one. `lastSequence`: the newest sequence that the client says it has; `null`: it has none. */
  | { readonly type: 'joined'; readonly subscription: Subscription; readonly lastSequence: number | null }
  | { readonly type: 'left'; readonly subscription: Subscription }
  | { readonly type: 'committed'; readonly snapshot: TokenSnapshot; readonly completedAtMs: number }
  /** The requested load has ended. `snapshot`: `null` if the token is not indexed. */
  | { readonly type: 'loaded'; readonly snapshot: TokenSnapshot | null; readonly nowMs: number }
  | { readonly type: 'loadFailed'; readonly nowMs: number }
  /** A commit has changed the token but did not carry its state, so the actor's state may be outdated. */
  | { readonly type: 'stale' }
  /** A reorg has undone the token's launch, so the token is no longer indexed. */
  | { readonly type: 'dropped' }
  | { readonly type: 'swept'; readonly nowMs: number }
  /** There are too many actors without subscribers. */
  | { readonly type: 'evicted' }
