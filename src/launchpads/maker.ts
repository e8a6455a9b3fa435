import { type Address, BURN_ADDRESSES, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { TradeSide } from '#domain/trade.ts'
import type { SourcedLog } from './adapter.ts'
import type { TradeSettlement } from './tokenEvent.ts'
import { addressTopic, addressWord, unlessMalformed, wordsOf } from './words.ts'

export interface Swap extends TradeSettlement {
  readonly token: Address
  readonly side: TradeSide
  readonly amountToken: bigint
  readonly logIndex: number
}

interface LoggedTransfer extends Transfer {
  readonly logIndex: number
}

/** Tokens whose transfer is looked for: about this amount, near this log. */
interface Sought {
  readonly amount: bigint
  readonly logIndex: number
}

/** The tokens of a swap on their way between its place and its maker. */
interface Flow extends Sought {
  readonly swap: Swap
  /** The account that they have reached; in a sell, the one to which they were traced back. */
  readonly at: Address
  readonly passed: ReadonlySet<Address>
}

interface Movements {
  readonly logs: readonly SourcedLog[]
  readonly token: Address
  readonly side: TradeSide
  readonly transfers: readonly LoggedTransfer[]
}

/**
 * The accounts behind the swaps of a transaction, from the transfers of their tokens, since events may name only a router. The tokens of a
 * buy are followed from the swap's place forward and those of a sell backward, through every account that keeps none of them, such as a
 * router that pays a fee out of them: the largest part leads on. Pools and a launchpad's own contracts hold tokens for others, so they are
 * never the account. The tokens of a transfer count once: of equal buys for several accounts, the second transfer is the second buy's.
 *
 * @param logs of one transaction
 * @returns in the order of `swaps`; `null` where no transfer is left that can be the swap's
 */
export function findMakers(logs: readonly SourcedLog[], swaps: readonly Swap[]): readonly (Address | null)[] {
  const makers = new Map<Swap, Address>()
  for (const [token, ofToken] of Map.groupBy(swaps, swap => swap.token)) {
    const transfers = transfersOf(logs, token)
    for (const side of ['buy', 'sell'] as const) {
      const sought = ofToken.filter(swap => swap.side === side && swap.amountToken > 0n).sort((a, b) => a.logIndex - b.logIndex)
      if (sought.length > 0 && transfers.length > 0) followTokens(sought, { logs, token, side, transfers }, makers)
    }
  }
  return swaps.map(swap => makers.get(swap) ?? null)
}

function followTokens(swaps: readonly Swap[], movements: Movements, makers: Map<Swap, Address>): void {
  const { logs, side, transfers } = movements
  const buy = side === 'buy'
  const moved = movedBy(transfers)
  const holders = new Set(logs.flatMap(({ log, source }) => (source.role === 'token' || source.role === 'tokenCurve' ? [] : [log.address])))
  for (const place of [...swaps.map(({ place }) => place), ...BURN_ADDRESSES, ZERO_ADDRESS]) holders.add(place)

  let flows = startFlows(swaps, movements)
  while (flows.length > 0) {
    const onward: Flow[] = []
    for (const [at, arrived] of Map.groupBy(flows, flow => flow.at)) {
      const { received, sent } = moved.get(at) ?? NOTHING_MOVED
      const [came, went] = buy ? [received, sent] : [sent, received]
      const next = transfers.filter(({ from, to }) => (buy ? from === at && !holders.has(to) : to === at && !holders.has(from)))
      // Routers may keep a fee, or what rounding leaves.
      const keeps = !holders.has(at) && (came - went) * KEPT_SHARE > came
      if (keeps || next.length === 0) {
        for (const { swap } of arrived) makers.set(swap, at)
        continue
      }
      const follows = ({ logIndex, passed }: Flow, { from, to, logIndex: then }: LoggedTransfer) =>
        (buy ? then > logIndex : then < logIndex) && !passed.has(buy ? to : from)
      const runs = align(arrived, next, (flow, run, sum) => sum <= 2n * flow.amount && run.every(one => follows(flow, one)))
      const left = new Map(next.map(transfer => [transfer, transfer.amount]))
      for (const [{ amount }, run] of runs)
        for (const one of run) left.set(one, run.length === 1 && amount < one.amount ? one.amount - amount : 0n)
      for (const flow of arrived) {
        // A router may pass on the tokens of several swaps together.
        const lead = leadOf(runs.get(flow) ?? next.filter(one => (left.get(one) ?? 0n) > 0n && follows(flow, one)), movements)
        if (lead === undefined) {
          makers.set(flow.swap, at)
          continue
        }
        if (!runs.has(flow)) left.set(lead, (left.get(lead) ?? 0n) - flow.amount)
        onward.push({
          swap: flow.swap,
          at: buy ? lead.to : lead.from,
          amount: min(lead.amount, flow.amount),
          logIndex: lead.logIndex,
          passed: new Set([...flow.passed, at]),
        })
      }
    }
    flows = onward
  }
}

/** An account that keeps more than this part of the tokens is no router. */
const KEPT_SHARE = 10n

/** The swaps whose own transfers from or to their place are found, with the accounts on the other side. */
function startFlows(swaps: readonly Swap[], movements: Movements): readonly Flow[] {
  const { logs, side } = movements
  const buy = side === 'buy'
  // Hooks take fees that they have collected out of the PoolManager.
  const hooks = new Set(logs.flatMap(({ log, source }) => (source.role === 'module' ? [log.address] : [])))
  const isPart = ({ from, to }: Transfer) => !hooks.has(from) && !hooks.has(to)
  const flows: Flow[] = []
  for (const [place, ofPlace] of Map.groupBy(swaps, swap => swap.place)) {
    const sought = ofPlace.map(swap => ({ swap, amount: swap.amountToken, logIndex: swap.logIndex }))
    const touching = transfersAt(place, movements, sought)
    const runs = align(sought, touching, ({ swap, amount, logIndex }, run, sum) => {
      if (swap.by === 'pool' && run.some(one => one.logIndex > logIndex)) return false
      if (sum === amount && run.length === 1) return true
      const most = swap.by === 'poolManager' ? amount : 2n * amount
      return sum <= most && 2n * sum >= amount && run.every(isPart)
    })
    const total = netTransfer(sought, touching, runs)
    for (const one of sought) {
      const { swap, amount } = one
      const lead = leadOf(runs.get(one) ?? total, movements)
      if (lead === undefined) continue
      const { logIndex } = lead
      flows.push({ swap, at: buy ? lead.to : lead.from, amount: min(lead.amount, amount), logIndex, passed: new Set([place]) })
    }
  }
  return flows
}

/** The transfers that leave the place in buys, or reach it in sells. Some curves mint what they sell and burn what they buy. */
function transfersAt(place: Address, { side, transfers }: Movements, swaps: readonly { readonly swap: Swap }[]): readonly LoggedTransfer[] {
  const at = (account: Address) => transfers.filter(({ from, to }) => (side === 'buy' ? from : to) === account)
  const own = at(place)
  return own.length === 0 && swaps.every(({ swap }) => swap.by === 'curve') ? at(ZERO_ADDRESS) : own
}

/** The transfer that settles all swaps without one of their own together: a PoolManager may be asked for exactly their sum. */
function netTransfer(
  sought: readonly (Sought & { readonly swap: Swap })[],
  touching: readonly LoggedTransfer[],
  runs: Runs<Sought>,
): readonly LoggedTransfer[] {
  const unsettled = sought.filter(one => one.swap.by === 'poolManager' && !runs.has(one))
  const sum = unsettled.reduce((total, { amount }) => total + amount, 0n)
  const used = new Set([...runs.values()].flat())
  return touching.filter(one => one.amount === sum && !used.has(one)).slice(-1)
}

/** The largest part, and the last of equal ones: fees are paid first. What the token itself gets or burns is a tax. */
function leadOf(run: readonly LoggedTransfer[], { token, side }: Pick<Movements, 'token' | 'side'>): LoggedTransfer | undefined {
  const isTax = ({ to }: Transfer) => side === 'buy' && (to === token || to === ZERO_ADDRESS || BURN_ADDRESSES.has(to))
  const parts = run.some(one => !isTax(one)) ? run.filter(one => !isTax(one)) : run
  return parts.toSorted((a, b) => (a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0)).at(-1)
}

type Runs<S> = ReadonlyMap<S, readonly LoggedTransfer[]>

/** Whether consecutive transfers of this sum can be what is sought. */
type Fits<S> = (sought: S, run: readonly LoggedTransfer[], sum: bigint) => boolean

/** Transactions with more of both than a tax on transfers needs: only transfers of the exact amount are matched. */
const MAX_CELLS = 20_000
/** The most parts in which the tokens of one swap move. */
const MAX_PARTS = 6

/**
 * The transfers of each sought amount, none of them used twice. Of equal amounts the i-th belongs to the i-th. Where amounts differ, as of
 * tokens that take a tax or move in parts, they are matched in order by the nearest sums.
 */
function align<S extends Sought>(sought: readonly S[], transfers: readonly LoggedTransfer[], fits: Fits<S>): Runs<S> {
  const exact = new Map<S, readonly LoggedTransfer[]>()
  const ofAmount = Map.groupBy(transfers, ({ amount }) => amount)
  for (const [amount, equal] of Map.groupBy(sought, one => one.amount)) {
    const found = ofAmount.get(amount) ?? []
    if (found.length !== equal.length || !equal.every((one, index) => fits(one, found.slice(index, index + 1), amount))) continue
    for (const [index, one] of equal.entries()) exact.set(one, found.slice(index, index + 1))
  }
  if (exact.size === sought.length || sought.length * transfers.length > MAX_CELLS) return exact
  const inOrder = alignInOrder(sought, transfers, fits)
  if (exact.size === 0 || (inOrder.unmatched === 0 && inOrder.off === 0n)) return inOrder.runs
  const used = new Set([...exact.values()].flat())
  const rest = alignInOrder(
    sought.filter(one => !exact.has(one)),
    transfers.filter(one => !used.has(one)),
    fits,
  )
  const isBetter = rest.unmatched < inOrder.unmatched || (rest.unmatched === inOrder.unmatched && rest.off < inOrder.off)
  return isBetter ? new Map([...exact, ...rest.runs]) : inOrder.runs
}

/** The best match of the first amounts with the first transfers: most amounts, then the nearest sums, then the nearest logs. */
interface Match {
  readonly unmatched: number
  readonly off: bigint
  readonly distance: number
  /** How many transfers the last amount has; 0: none. `null`: the last transfer belongs to no amount. */
  readonly parts: number | null
}

function alignInOrder<S extends Sought>(sought: readonly S[], transfers: readonly LoggedTransfer[], fits: Fits<S>) {
  let above: readonly Match[] = transfers.map(() => NOTHING_MATCHED)
  above = [NOTHING_MATCHED, ...above]
  const rows: (readonly Match[])[] = [above]
  for (const one of sought) {
    const row: Match[] = []
    for (const [end, skipped] of above.entries()) {
      let best: Match = { ...skipped, unmatched: skipped.unmatched + 1, parts: 0 }
      const before = row[end - 1]
      if (before !== undefined && isNearer(before, best)) best = { ...before, parts: null }
      let sum = 0n
      let lead: LoggedTransfer | undefined
      for (let start = end - 1; start >= Math.max(0, end - MAX_PARTS); start--) {
        const part = transfers[start] as LoggedTransfer
        sum += part.amount
        if (lead === undefined || part.amount > lead.amount) lead = part
        if (!fits(one, transfers.slice(start, end), sum)) continue
        const earlier = above[start] as Match
        const match = {
          unmatched: earlier.unmatched,
          off: earlier.off + (sum < one.amount ? one.amount - sum : sum - one.amount),
          distance: earlier.distance + Math.abs(lead.logIndex - one.logIndex),
          parts: end - start,
        }
        if (isNearer(match, best)) best = match
      }
      row.push(best)
    }
    rows.push(row)
    above = row
  }
  const runs = new Map<S, readonly LoggedTransfer[]>()
  let end = transfers.length
  for (let count = sought.length; count > 0 && end >= 0; ) {
    const parts = rows[count]?.[end]?.parts ?? null
    if (parts === null) {
      end--
      continue
    }
    count--
    if (parts > 0) runs.set(sought[count] as S, transfers.slice(end - parts, end))
    end -= parts
  }
  return { runs, unmatched: above.at(-1)?.unmatched ?? 0, off: above.at(-1)?.off ?? 0n }
}

const NOTHING_MATCHED: Match = { unmatched: 0, off: 0n, distance: 0, parts: null }

function isNearer(a: Match, b: Match): boolean {
  if (a.unmatched !== b.unmatched) return a.unmatched < b.unmatched
  return a.off === b.off ? a.distance < b.distance : a.off < b.off
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

interface Moved {
  readonly received: bigint
  readonly sent: bigint
}

const NOTHING_MOVED: Moved = { received: 0n, sent: 0n }

function movedBy(transfers: readonly Transfer[]): ReadonlyMap<Address, Moved> {
  const moved = new Map<Address, Moved>()
  for (const { from, to, amount } of transfers) {
    const [sender, receiver] = [moved.get(from) ?? NOTHING_MOVED, moved.get(to) ?? NOTHING_MOVED]
    moved.set(from, { ...sender, sent: sender.sent + amount })
    moved.set(to, { ...receiver, received: receiver.received + amount })
  }
  return moved
}

/** The transfers that move something, in order: anyone can send empty ones in another account's name. */
function transfersOf(logs: readonly SourcedLog[], token: Address): readonly LoggedTransfer[] {
  return logs.flatMap(({ log }) => {
    if (log.address !== token || log.topics[0] !== TRANSFER_TOPIC) return []
    const transfer = unlessMalformed(() => decodeTransfer(log))
    return transfer === null || transfer.amount === 0n || transfer.from === transfer.to ? [] : [{ ...transfer, logIndex: log.logIndex }]
  })
}

/** keccak256 of `Transfer(address,address,uint256)` (ERC-20). */
export const TRANSFER_TOPIC: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

interface Transfer {
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

/**
 * Some contracts, older than ERC-20's final text or careless of it, index none of the parameters: all three are in the data then.
 *
 * @throws MalformedLogError when it is no ERC-20 transfer; the amount of an ERC-721 one, for example, is a topic
 */
export function decodeTransfer(log: ChainLog): Transfer {
  if (log.topics.length === 1) {
    const word = wordsOf(log.data, 3)
    return { from: addressWord(word(0)), to: addressWord(word(1)), amount: word(2) }
  }
  return { from: addressTopic(log.topics, 1), to: addressTopic(log.topics, 2), amount: wordsOf(log.data, 1)(0) }
}
