import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'
import type { RenderQueue } from './renderQueue.ts'
import type { Row } from './rows.ts'

/** Rows that are live at once: one connection carries 200 tokens, and an opened token needs some of them. */
const MAX_WATCHED = 150

/** The rows whose values follow their tokens. */
export interface WatchedRows {
  /** Keeps a row live until the returned function is called. */
  watch(row: Row): () => void
  stop(): void
}

export function createWatchedRows(client: Tokenwire, renderQueue: RenderQueue): WatchedRows {
  const watched = new Map<Address, () => void>()
  return {
    watch(row) {
      const { address } = row
      if (watched.has(address) || watched.size >= MAX_WATCHED) return () => undefined
      const held = client.watch(address, ({ token }) => renderQueue.put(`row ${address}`, () => row.update(token)), {
        initial: row.token.peek(),
        holders: false,
      })
      const stop = () => {
        if (!watched.delete(address)) return
        held.close()
        renderQueue.drop(`row ${address}`)
      }
      watched.set(address, stop)
      return stop
    },
    stop() {
      for (const stop of Array.from(watched.values())) stop()
    },
  }
}
