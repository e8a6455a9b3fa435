import type { Address } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import type { SourcedLog } from './adapter.ts'
import { unlessMalformed } from './malformedLog.ts'
import { decodeTransfer, TRANSFER_TOPIC, type Transfer } from './transfer.ts'

export interface Swap {
  readonly token: Address
  readonly pool: Address
  readonly side: TradeSide
  readonly amountToken: bigint
  readonly logIndex: number
  /** When the token moves. A v3 pool moves it before its swap event (default); with a v4 PoolManager, any time in the transaction. */
  readonly settled?: 'before' | 'anytime'
}

/**
 * The account behind a swap, from the token's transfers in its transaction, since the pool's event names only the router. The tokens of a
 * buy are followed from the pool forward, those of a sell from the pool backward, transfer by transfer while the whole amount moves on.
 *
 * @returns `null` when no transfer of that amount touches the pool
 */
export function findMaker(logs: readonly SourcedLog[], swap: Swap): Address | null {
  const transfers = transfersOf(logs, swap.token).filter(({ amount }) => amount === swap.amountToken)
  const before = transfers.findLastIndex(transfer => touchesPool(transfer, swap) && transfer.logIndex < swap.logIndex)
  const after =
    swap.settled === 'anytime' ? transfers.findIndex(transfer => touchesPool(transfer, swap) && transfer.logIndex > swap.logIndex) : -1
  const index = after === -1 ? before : after
  const touching = transfers[index]
  if (touching === undefined) return null
  let maker = swap.side === 'buy' ? touching.to : touching.from
  if (swap.side === 'buy') {
    for (const { from, to } of transfers.slice(index + 1)) if (from === maker && to !== swap.pool) maker = to
  } else {
    for (const { from, to } of transfers.slice(0, index).reverse()) if (to === maker && from !== swap.pool) maker = from
  }
  return maker
}

/**
 * `findMaker` for a token that takes a tax from every transfer, so that no transfer has the swap's amount. The largest one that touches the
 * pool after the pool's previous swap is taken for this swap's.
 */
export function findTaxedMaker(logs: readonly SourcedLog[], swap: Swap): Address | null {
  const ofPool = logs.filter(({ log }) => log.address === swap.pool && log.logIndex <= swap.logIndex)
  const swapTopic = ofPool.at(-1)?.log.topics[0]
  const previous = ofPool.findLast(({ log }) => log.logIndex < swap.logIndex && log.topics[0] === swapTopic)?.log.logIndex ?? -1
  const [largest] = transfersOf(logs, swap.token)
    .filter(transfer => touchesPool(transfer, swap) && transfer.logIndex > previous && transfer.logIndex < swap.logIndex)
    .toSorted((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0))
  return largest === undefined ? null : findMaker(logs, { ...swap, amountToken: largest.amount })
}

function touchesPool({ from, to }: Transfer, { side, pool }: Swap): boolean {
  return (side === 'buy' ? from : to) === pool
}

function transfersOf(logs: readonly SourcedLog[], token: Address): readonly (Transfer & { readonly logIndex: number })[] {
  return logs.flatMap(({ log }) => {
    if (log.address !== token || log.topics[0] !== TRANSFER_TOPIC) return []
    const transfer = unlessMalformed(() => decodeTransfer(log))
    return transfer === null ? [] : [{ ...transfer, logIndex: log.logIndex }]
  })
}
