import type { Address } from '#domain/address.ts'
import type { ActorState, ActorsHealth, ActorsQuery, IndexerState, RealtimeHealth } from '#domain/health.ts'
import type { Problem } from './problem.ts'
import type { HttpResponse, TemplatedApp } from './uWebSockets.ts'

/** The chain's and the indexer's condition as the gateway shows it. Never waits. */
export interface IndexerView {
  state(): IndexerState
  /** Milliseconds per block over the recent chain and the head's base fee; `null` while unknown. */
  chain(): { readonly headBlock: number | null; readonly blockTimeMs: number | null; readonly baseFeeGwei: string | null }
}

/** The token actors as operators inspect them (the `Registry`). Never waits. */
export interface ActorsView {
  health(): ActorsHealth
  list(query: ActorsQuery): readonly ActorState[]
  /** `null`: nobody watches the token, so it has no actor. */
  get(token: Address): ActorState | null
  /** The sequence of the state that the token's actor holds; `null`: it holds none. Unlike `get` it costs one look-up however many subscribers there are. */
  sequence(token: Address): number | null
}

export interface RealtimeView {
  realtime(): RealtimeHealth
}

/** A Prometheus registry. */
export interface MetricsView {
  readonly contentType: string
  metrics(): Promise<string>
}

/** Adds the WebSocket route to the app, also below a prefix that is not empty, before the gateway adds its own. */
export type RegisterWebSocket = (app: TemplatedApp, pathPrefix: string) => void

/** A request for an event stream that has passed the origin check, the rate limit and the validation, of a token that is indexed. */
export interface EventStreamRequest {
  /** Nothing is written to it yet. Write inside `cork`; end it when the server stops. */
  readonly res: HttpResponse
  readonly token: Address
  /** The newest sequence that the client says it holds, from `Last-Event-ID` or `lastEventId`; `null`: none. */
  readonly lastSequence: number | null
  /** For `Admission.openConnection`. */
  readonly clientAddress: string
  readonly requestId: string
  /** CORS, security and request id headers: to be written after the status and before the stream's own. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** True once the client is gone: `res` may not be touched any more. */
  isAborted(): boolean
  /** Calls the listener once when the client goes, at once when it is gone. Use it instead of `res.onAborted`, which knows one listener only. */
  onAborted(listener: () => void): void
}

/**
 * Opens an event stream. `null`: it is open, or the client went away meanwhile; `res` belongs to the stream from then on. A problem: nothing was written,
 * and the gateway answers with it. The same goes for a rejection, which is answered as an error of a REST route would be.
 */
export type OpenEventStream = (request: EventStreamRequest) => Promise<Problem | null>
