import type { Address } from '#domain/address.ts'

/** A range of blocks whose logs fit into one answer, both ends inclusive, and its blocks with logs. */
export interface BlockRange {
  readonly from: number
  readonly to: number
  readonly blocks: readonly number[]
}

export interface FloorPlan {
  readonly url: string
  readonly addresses: readonly Address[]
  readonly ranges: readonly BlockRange[]
  readonly concurrency: number
  readonly headersPerRequest: number
}

export interface FloorCalls {
  /** Fetches and parses everything once. */
  fetchAll(plan: FloorPlan): Promise<{ readonly logs: number; readonly headers: number; readonly ms: number }>
  usage(_: null): { readonly cpuMs: number; readonly peakRssMiB: number }
}
