import type { Address } from '#domain/address.ts'

/** How a client subscribes: by messages of Tokenwire's protocol, or as socket.io's client does. */
export type ClientProtocol = 'tokenwire' | 'socket.io'

export interface OpenRequest {
  readonly protocol: ClientProtocol
  /** A client that loses its server tries the next one. */
  readonly ports: readonly number[]
  readonly tokens: readonly Address[]
  readonly connections: number
  /** The index of their first port. `null`: they take turns. */
  readonly server: number | null
  /** The pause before the first return is random up to this bound, which doubles with each failure. */
  readonly pauseMs: number
}

export interface CutRequest {
  /** The first of the clients that are cut; the earlier ones stay. */
  readonly first: number
  /** The share that is cut at each turn, chosen at random. */
  readonly share: number
  readonly everyMs: number
  readonly forMs: number
}

/** From the loss of a connection until its client had the newest state of that time again. Times are on the monotonic clock. */
export interface Recovery {
  readonly client: number
  readonly lostAtMs: number
  /** The client's own pauses. */
  readonly pausedMs: number
  readonly currentAtMs: number
}

export interface ClientsReport {
  readonly recoveries: readonly Recovery[]
  /** Of each client: the index of its token, its newest sequence, and its longest time between two updates. */
  readonly clients: readonly { readonly token: number; readonly sequence: number; readonly longestGapMs: number }[]
}

/** Clients that return when they lose their connection, in a process of their own. */
export interface ReturningCalls {
  /** Opens connections, numbered in order, and resolves once all are subscribed. */
  open(request: OpenRequest): Promise<void>
  /** Cuts connections by TCP resets. Resolves when it is over; clients may still be away. */
  cut(request: CutRequest): Promise<void>
  /** Forgets the longest times between updates so far. */
  begin(argument: null): void
  report(argument: null): ClientsReport
}
