import { type Address, BURN_ADDRESSES, ZERO_ADDRESS } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import type { SourcedLog } from './adapter.ts'
import type { LogSource } from './logSource.ts'
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

interface LoggedTransfer extends Transfer {
  readonly logIndex: number
}

/**
 * The account behind a swap, from the token's transfers in its transaction, since the pool's event names only the router. The tokens of a
 * buy are followed from the pool forward and those of a sell from the pool backward, through every account that keeps none of them, such as
 * a router that pays a fee out of them: the largest part leads on. Pools and a launchpad's own contracts hold tokens for others, so they
 * are never the account.
 *
 * @returns `null` when no transfer of that amount touches the pool
 */
export function findMaker(logs: readonly SourcedLog[], swap: Swap): Address | null {
  const transfers = transfersOf(logs, swap.token)
  const start = findStart(transfers, swap, addressesOf(logs, 'module'))
  if (start === null) return null
  const buy = swap.side === 'buy'
  const changes = balanceChanges(transfers)
  const passed = new Set(logs.flatMap(({ log, source }) => (source.role === 'token' || source.role === 'tokenCurve' ? [] : [log.address])))
  for (const place of [swap.pool, ...BURN_ADDRESSES, ZERO_ADDRESS]) passed.add(place)
  let maker = buy ? start.to : start.from
  for (let { logIndex } = start; ; ) {
    const change = passed.has(maker) ? 0n : (changes.get(maker) ?? 0n)
    passed.add(maker)
    if (buy ? change > 0n : change < 0n) return maker
    const next = largest(
      transfers.filter(({ from, to, logIndex: at }) =>
        buy ? from === maker && at > logIndex && !passed.has(to) : to === maker && at < logIndex && !passed.has(from),
      ),
    )
    if (next === undefined) return maker
    maker = buy ? next.to : next.from
    logIndex = next.logIndex
  }
}

/**
 * The swap's own transfer from or to the pool. A PoolManager may pay a swap out in parts, of which the largest counts, but for those of
 * hooks, which take fees that they have collected.
 */
function findStart(transfers: readonly LoggedTransfer[], swap: Swap, hooks: ReadonlySet<Address>): LoggedTransfer | null {
  const touching = transfers.filter(transfer => touchesPool(transfer, swap))
  const exact = touching.filter(({ amount }) => amount === swap.amountToken)
  const before = exact.findLast(({ logIndex }) => logIndex < swap.logIndex)
  if (swap.settled !== 'anytime') return before ?? null
  const after = exact.find(({ logIndex }) => logIndex > swap.logIndex)
  const isPart = ({ from, to, amount }: Transfer) => amount < swap.amountToken && !hooks.has(from) && !hooks.has(to)
  return after ?? before ?? largest(touching.filter(isPart)) ?? null
}

function addressesOf(logs: readonly SourcedLog[], role: LogSource['role']): ReadonlySet<Address> {
  return new Set(logs.flatMap(({ log, source }) => (source.role === role ? [log.address] : [])))
}

function balanceChanges(transfers: readonly Transfer[]): ReadonlyMap<Address, bigint> {
  const changes = new Map<Address, bigint>()
  for (const { from, to, amount } of transfers) {
    changes.set(from, (changes.get(from) ?? 0n) - amount)
    changes.set(to, (changes.get(to) ?? 0n) + amount)
  }
  return changes
}

/** The largest transfer, and the last one of equal amounts: fees are paid first. */
function largest<T extends Transfer>(transfers: readonly T[]): T | undefined {
  return transfers.toSorted((a, b) => (a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0)).at(-1)
}

/**
 * `findMaker` for a token that takes a tax from every transfer, so that no transfer has the swap's amount. The largest transfer that
 * touches the pool after the pool's previous swap is taken as this swap's transfer.
 */
export function findTaxedMaker(logs: readonly SourcedLog[], swap: Swap): Address | null {
  const ofPool = logs.filter(({ log }) => log.address === swap.pool && log.logIndex <= swap.logIndex)
  const swapTopic = ofPool.at(-1)?.log.topics[0]
  const previous = ofPool.findLast(({ log }) => log.logIndex < swap.logIndex && log.topics[0] === swapTopic)?.log.logIndex ?? -1
  const moved = largest(
    transfersOf(logs, swap.token).filter(
      transfer => touchesPool(transfer, swap) && transfer.logIndex > previous && transfer.logIndex < swap.logIndex,
    ),
  )
  return moved === undefined ? null : findMaker(logs, { ...swap, amountToken: moved.amount })
}

function touchesPool({ from, to }: Transfer, { side, pool }: Swap): boolean {
  return (side === 'buy' ? from : to) === pool
}

function transfersOf(logs: readonly SourcedLog[], token: Address): readonly LoggedTransfer[] {
  return logs.flatMap(({ log }) => {
    if (log.address !== token || log.topics[0] !== TRANSFER_TOPIC) return []
    const transfer = unlessMalformed(() => decodeTransfer(log))
    return transfer === null ? [] : [{ ...transfer, logIndex: log.logIndex }]
  })
}
