/** A server that can deliver the mixed feed. */
export interface ChannelServer {
  readonly port: number
  /** Prepares a block before its commit. Returns the delivery, to be called at the commit. */
  prepare(block: number): () => void
  close(): Promise<void>
}

export type ChannelServerKind = 'tokenwire' | 'uws-publish'

export interface ChannelCalls {
  /** Serves on a free port of the loopback interface. */
  listen(kind: ChannelServerKind): Promise<{ readonly port: number }>
  /** Prepares blocks. Replaces earlier preparations. */
  prepare(blocks: { readonly first: number; readonly count: number }): void
  /** Commits the next prepared block. @returns when, on the machine's monotonic clock, ms */
  commit(argument: null): Promise<number>
  usage(options: { readonly collect: boolean }): ChannelServerUsage
  close(argument: null): Promise<void>
}

export interface ChannelServerUsage {
  /** User and system time of the process since its start. */
  readonly cpuMs: number
  readonly rssBytes: number
  /** Objects and buffers. */
  readonly heapBytes: number
}
