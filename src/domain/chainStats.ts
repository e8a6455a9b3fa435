/** The state of the whole index; the 24 hours end at the timestamp of the newest indexed block. */
export interface ChainStats {
  readonly chainId: number
  readonly headBlock: string | null
  readonly indexedBlock: string
  readonly blockTimeMs: number | null
  readonly baseFeeGwei: string | null
  readonly tokens: number
  readonly tokens24h: number
  readonly bonding: number
  readonly completed: number
  readonly migrated: number
  readonly trades24h: number
  readonly traders24h: number
  readonly volumeWeth24h: string
  readonly volumeUsd24h: string | null
  readonly liquidityWeth: string
  readonly asOfBlock: string
  readonly updatedAt: string
}
