import type { Address, Hex } from '#domain/address.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'

/** The transactions whose senders are the makers of trades. */
export function transactionsOfUnknownMakers(events: readonly TokenEvent[]): readonly { readonly txHash: Hex; readonly blockHash: Hex }[] {
  const asked = new Map<Hex, { readonly txHash: Hex; readonly blockHash: Hex }>()
  for (const event of events) {
    if (event.kind !== 'trade' || event.viaContract !== true) continue
    const { txHash, blockHash } = event
    asked.set(txHash, { txHash, blockHash })
  }
  return [...asked.values()]
}

/** The events with those senders as makers. */
export function withSenders(events: readonly TokenEvent[], senders: ReadonlyMap<Hex, Address>): readonly TokenEvent[] {
  return events.map(event => {
    const sender = event.kind === 'trade' && event.viaContract === true ? senders.get(event.txHash) : undefined
    return event.kind === 'trade' && sender !== undefined ? { ...event, maker: sender } : event
  })
}
