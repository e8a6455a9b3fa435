import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { EarlyClass } from '#domain/holder.ts'

type Counted = { readonly blockNumber: number; readonly txHash: Hex } & (CountedTrade | CountedTransfer)

interface CountedTrade {
  readonly side: 'buy' | 'sell'
  readonly maker: Address
  readonly amount: bigint
  readonly timestamp: number
}

interface CountedTransfer {
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

interface CountedToken {
  readonly creator: Address
  readonly launchedAt: number
  /** The token's trades and transfers, in order. */
  readonly events: readonly Counted[]
  /** Whether an account is no pool, curve, locker, burn address or contract. */
  isWallet(account: Address): boolean
}

/** The accounts of each early class of a token, by the words of decision 0072: from all of its events. */
export function countEarly({ creator, launchedAt, events, isWallet }: CountedToken): Readonly<Record<EarlyClass, ReadonlySet<Address>>> {
  const trades = events.filter(event => 'maker' in event).filter(({ maker }) => maker !== creator)
  const buys = trades.filter(({ side }) => side === 'buy')
  const openedAt = trades[0]?.timestamp ?? 0
  const makersOf = (some: typeof buys) => new Set(some.map(({ maker }) => maker))
  const bundles = [...Map.groupBy(buys, ({ blockNumber }) => blockNumber).values()]
    .filter(([first]) => first !== undefined && first.timestamp - launchedAt <= 5)
    .map(makersOf)
    .filter(makers => makers.size >= 4)
  return {
    creator: new Set([creator]),
    sniper: makersOf(buys.filter(({ timestamp }) => timestamp - openedAt <= 5)),
    bundler: new Set(bundles.flatMap(makers => [...makers])),
    insider: insidersOf(events, creator, account => account !== creator && account !== ZERO_ADDRESS && isWallet(account)),
  }
}

function insidersOf(events: readonly Counted[], creator: Address, isOther: (account: Address) => boolean): ReadonlySet<Address> {
  const insiders = new Set<Address>()
  const buyers = new Set<Address>()
  for (const transaction of Map.groupBy(events, ({ blockNumber, txHash }) => `${blockNumber} ${txHash}`).values()) {
    const reached = new Set([creator, ...insiders])
    const received = new Map<Address, bigint>()
    const receive = (account: Address, amount: bigint) => received.set(account, (received.get(account) ?? 0n) + amount)
    for (const event of transaction) {
      if ('maker' in event) {
        receive(event.maker, event.side === 'buy' ? -event.amount : event.amount)
      } else if (event.amount > 0n && event.from !== event.to) {
        receive(event.from, -event.amount)
        receive(event.to, event.amount)
        if (reached.has(event.from) && isOther(event.to)) reached.add(event.to)
      }
    }
    for (const account of reached) {
      if (account !== creator && !buyers.has(account) && (received.get(account) ?? 0n) > 0n) insiders.add(account)
    }
    for (const event of transaction) if ('maker' in event && event.side === 'buy') buyers.add(event.maker)
  }
  return insiders
}
