import type { Commits } from './commits.ts'

export interface AnnouncementCosts {
  readonly without: readonly number[]
  readonly with: readonly number[]
}

/** How long commits take with and without their announcement to gateways, in turns, in ms. */
export async function costOfAnnouncement({ commit }: Commits, blocks: number): Promise<AnnouncementCosts> {
  const costs = { without: [] as number[], with: [] as number[] }
  for (let block = 0; block < blocks; block++) {
    costs.with.push((await commit({ announced: true })).tookMs)
    costs.without.push((await commit({ announced: false })).tookMs)
  }
  return costs
}
