import type { Address } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import type { WatchedLog } from './adapter.ts'
import { decodeTransfer, TRANSFER_TOPIC, type Transfer } from './transfer.ts'
import { MalformedLogError } from './words.ts'

export interface Swap {
  readonly token: Address
  readonly pool: Address
  readonly side: TradeSide
  readonly amountToken: bigint
  readonly logIndex: number
  /** A v3 pool moves the tokens before it tells of the swap; a v4 PoolManager is settled with at any time in the transaction. */
  readonly settled?: 'before' | 'anytime'
}

/**
 * Who traded, told from the token's transfers in the swap's transaction: a pool's own event names the router. The tokens of a buy are
 * followed from the pool to where they rest, those of a sell back from the pool to where they came from, hop by hop while the whole amount
 * moves on.
 *
 * @returns the maker, or `null` when no transfer of that amount touches the pool (the caller falls back to the event)
 */
export function findMaker(logs: readonly WatchedLog[], swap: Swap): Address | null {
  const transfers = transfersOf(logs, swap.token).filter(transfer => transfer.amount === swap.amountToken)
  const touches = (transfer: Transfer) => (swap.side === 'buy' ? transfer.from : transfer.to) === swap.pool
  const before = transfers.findLastIndex(transfer => touches(transfer) && transfer.logIndex < swap.logIndex)
  const after = swap.settled === 'anytime' ? transfers.findIndex(transfer => touches(transfer) && transfer.logIndex > swap.logIndex) : -1
  const index = after === -1 ? before : after
  const touching = transfers[index]
  if (touching === undefined) return null
  let maker = swap.side === 'buy' ? touching.to : touching.from
  if (swap.side === 'buy') {
    for (const transfer of transfers.slice(index + 1)) if (transfer.from === maker && transfer.to !== swap.pool) maker = transfer.to
  } else {
    for (const transfer of transfers.slice(0, index).reverse())
      if (transfer.to === maker && transfer.from !== swap.pool) maker = transfer.from
  }
  return maker
}

/**
 * Who traded a token that takes a part of every transfer, so that none has the swap's amount: the largest one that touches the pool since the
 * pool's swap before stands for the swap.
 */
export function findTaxedMaker(logs: readonly WatchedLog[], swap: Swap): Address | null {
  const ofPool = logs.filter(({ log }) => log.address === swap.pool && log.logIndex <= swap.logIndex)
  const topic = ofPool.at(-1)?.log.topics[0]
  const since = ofPool.findLast(({ log }) => log.logIndex < swap.logIndex && log.topics[0] === topic)?.log.logIndex ?? -1
  const touching = transfersOf(logs, swap.token).filter(
    ({ from, to, logIndex }) => (swap.side === 'buy' ? from : to) === swap.pool && logIndex > since && logIndex < swap.logIndex,
  )
  const largest = touching.reduce<Transfer | null>((most, one) => (most === null || one.amount > most.amount ? one : most), null)
  return largest === null ? null : findMaker(logs, { ...swap, amountToken: largest.amount })
}

function transfersOf(logs: readonly WatchedLog[], token: Address): (Transfer & { readonly logIndex: number })[] {
  const transfers: (Transfer & { readonly logIndex: number })[] = []
  for (const { log } of logs) {
    if (log.address !== token || log.topics[0] !== TRANSFER_TOPIC) continue
    try {
      transfers.push({ ...decodeTransfer(log), logIndex: log.logIndex })
    } catch (error) {
      // Counted where transfers are decoded for their own sake.
      if (!(error instanceof MalformedLogError)) throw error
    }
  }
  return transfers
}
