/** Totals of one launchpad; the 24 hours end at the timestamp of the newest indexed block. */
export interface LaunchpadTotals {
  readonly name: string
  readonly tokens: number
  readonly tokens24h: number
  readonly bonding: number
  readonly completed: number
  readonly migrated: number
  readonly volumeWeth24h: string
  readonly trades24h: number
}

export interface Launchpad extends LaunchpadTotals {
  readonly adapter: string
  /** Percent of the tokens with a graduation that completed it; `null` without such tokens. */
  readonly graduationRate: number | null
}
