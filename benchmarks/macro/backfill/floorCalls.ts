import type { Address } from '#domain/address.ts'

/** Blocks whose logs fit into one answer, both ends inclusive, and those of them that hold logs. */
export interface Stretch {
  readonly from: number
  readonly to: number
  readonly blocks: readonly number[]
}

export interface FloorPlan {
  readonly url: string
  readonly addresses: readonly Address[]
  readonly stretches: readonly Stretch[]
  readonly concurrency: number
  readonly headersPerRequest: number
}

export interface FloorCalls {
  /** Fetches and parses everything once. */
  fetchAll(plan: FloorPlan): Promise<{ readonly logs: number; readonly headers: number; readonly ms: number }>
  usage(_: null): { readonly cpuMs: number; readonly peakRssMiB: number }
}
