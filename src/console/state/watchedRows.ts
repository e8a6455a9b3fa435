import { effect, untracked } from '@preact/signals'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'
import type { RenderQueue } from './renderQueue.ts'
import type { Row } from './rows.ts'

/** Rows that are live at once: one connection carries 200 tokens, and an opened token needs some of them. */
const MAX_WATCHED = 150

/** The rows whose values follow their tokens, but for those whose values come with a list. */
export interface WatchedRows {
  /** Keeps a row live until the returned function is called. */
  watch(row: Row): () => void
  stop(): void
}

export function createWatchedRows(client: Tokenwire, renderQueue: RenderQueue): WatchedRows {
  const watched = new Map<Address, () => void>()

  /** Follows the token of a row, if there is room. */
  function follow(row: Row): () => void {
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
  }

  return {
    watch: row => effect(() => (row.isListed.value ? undefined : untracked(() => follow(row)))),
    stop() {
      for (const stop of Array.from(watched.values())) stop()
    },
  }
}
