import type { Address } from '#domain/address.ts'
import type { Reads } from '#resources/reads.ts'

/** The tokens that a list shows of the launches of a front end, by address. */
export async function foundBySurface(reads: Pick<Reads, 'tokens'>, surface: string): Promise<readonly Address[]> {
  const { data } = await reads.tokens({ sort: 'createdAt', order: 'desc', limit: 100, surface })
  return data.map(({ address }) => address).toSorted()
}
