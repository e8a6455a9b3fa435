import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { Address } from '#domain/address.ts'
import type { ChannelPosition } from '#domain/eventPlace.ts'
import { readChannelEvents } from '#store/reads/channelEvents.ts'
import { readSequences } from '#store/rows/announcement.ts'

/** A client of tokens and of a channel. Fails at a sequence that falls, and at a trade that comes twice. */
export function createDoubtfulClient(db: Kysely<unknown>): () => Promise<void> {
  const sequences = new Map<Address, number>()
  const seen = new Map<string, number>()
  let position: ChannelPosition | null = null
  return async (): Promise<void> => {
    for (const [token, sequence] of await sequencesOf(db)) {
      expect(sequence).toBeGreaterThanOrEqual(sequences.get(token) ?? 0)
      sequences.set(token, sequence)
    }
    const read = await readChannelEvents(db, { channel: 'trades', after: position, through: null, limit: 10_000 }, 1)
    const { voidFrom, reorgs, newest, events } = read
    for (const [key, block] of seen) if (voidFrom !== null && block >= voidFrom) seen.delete(key)
    for (const { place } of events) {
      const key = `${place.blockNumber} ${place.logIndex}`
      expect(seen.has(key)).toBe(false)
      seen.set(key, place.blockNumber)
    }
    position = { reorgs, place: newest }
  }
}

async function sequencesOf(db: Kysely<unknown>): Promise<ReadonlyMap<Address, number>> {
  const { rows } = await sql<{ address: Address }>`select address from token`.execute(db)
  return readSequences(
    db,
    rows.map(({ address }) => address),
  )
}
