import type { Address } from '#domain/address.ts'
import type { EarlyClass } from '#domain/earlyWallets.ts'
import type { TokenEvent, TokenEventOf } from '#launchpads/tokenEvent.ts'

type Trade = TokenEventOf<'trade'>
type Moved = Trade | TokenEventOf<'transfer'>

/**
 * The accounts of each early class of a token, by the words of decision 0072: from all of its events, in order.
 *
 * @param isWallet whether an account is no pool, curve, locker, burn address or contract, and not the creator
 */
export function countEarly(
  events: readonly TokenEvent[],
  token: Address,
  isWallet: (account: Address) => boolean,
): Readonly<Record<EarlyClass, ReadonlySet<Address>>> {
  const own = events.filter(event => event.token === token)
  const launch = own.find(event => event.kind === 'launch')
  if (launch === undefined) throw new Error(`${token} was not launched`)
  const { creator, timestamp: launchedAt } = launch
  const trades = own.filter(event => event.kind === 'trade').filter(({ maker }) => maker !== creator)
  const buys = trades.filter(({ side }) => side === 'buy')
  const openedAt = trades[0]?.timestamp ?? 0
  const makersOf = (some: readonly Trade[]) => new Set(some.map(({ maker }) => maker))
  const bundles = [...Map.groupBy(buys, ({ blockNumber }) => blockNumber).values()]
    .filter(([first]) => first !== undefined && first.timestamp - launchedAt <= 5)
    .map(makersOf)
    .filter(makers => makers.size >= 4)
  return {
    creator: new Set([creator]),
    sniper: makersOf(buys.filter(({ timestamp }) => timestamp - openedAt <= 5)),
    bundler: new Set(bundles.flatMap(makers => [...makers])),
    insider: insidersOf(own, creator, isWallet),
  }
}

function insidersOf(own: readonly TokenEvent[], creator: Address, isWallet: (account: Address) => boolean): ReadonlySet<Address> {
  const moved = own.filter((event): event is Moved => event.kind === 'trade' || event.kind === 'transfer')
  const insiders = new Set<Address>()
  const buyers = new Set<Address>()
  for (const events of Map.groupBy(moved, ({ blockNumber, txHash }) => `${blockNumber} ${txHash}`).values()) {
    const reached = new Set([creator, ...insiders])
    const received = new Map<Address, bigint>()
    const receive = (account: Address, amount: bigint) => received.set(account, (received.get(account) ?? 0n) + amount)
    for (const event of events) {
      if (event.kind === 'trade') {
        receive(event.maker, event.side === 'buy' ? -event.amountToken : event.amountToken)
      } else if (event.amount > 0n && event.from !== event.to) {
        receive(event.from, -event.amount)
        receive(event.to, event.amount)
        if (reached.has(event.from) && isWallet(event.to)) reached.add(event.to)
      }
    }
    for (const account of reached) {
      if (account !== creator && !buyers.has(account) && (received.get(account) ?? 0n) > 0n) insiders.add(account)
    }
    for (const event of events) if (event.kind === 'trade' && event.side === 'buy') buyers.add(event.maker)
  }
  return insiders
}
