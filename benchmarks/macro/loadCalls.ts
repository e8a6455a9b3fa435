/** Connections to one server. */
export interface OpenRequest {
  /** Which connections; those of the same name from before are closed. */
  readonly arm: string
  readonly port: number
  readonly connections: number
  /** Each connection subscribes to the first so many tokens of the feed. */
  readonly tokens: number
}

/** What is to come to all connections of an arm. */
export interface Expectation {
  readonly arm: string
  readonly firstBlock: number
  readonly blocks: number
  readonly tokens: number
}

export interface Receipts {
  /** When each update was received, on the machine's monotonic clock in ms: by block, then token, then connection. */
  readonly atMs: Float64Array
  readonly largestBytes: number
  /** Of the process, user and system, since it was told what to expect. */
  readonly cpuMs: number
}

export interface LoadCalls {
  /** Answers when every subscription was answered. */
  open(request: OpenRequest): Promise<void>
  expect(expectation: Expectation): void
  /**
   * Answers when everything that is expected has come.
   *
   * @throws `Error` when something did not, came twice or out of order, is larger than allowed, or is not the update that it should be
   */
  received(argument: null): Promise<Receipts>
}
