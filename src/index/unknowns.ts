import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { BlockCalls, CallAnswer, ContractCall } from '#domain/contractCall.ts'
import type { TokenEvent, TokenEventOf, UnreadLaunch } from '#launchpads/tokenEvent.ts'

/** The facts that events need and no log contains: senders of transactions, and answers of calls. */
export interface Unknowns {
  /** The transactions whose senders are makers of trades or creators of tokens. */
  readonly transactions: readonly Pick<TokenEvent, 'txHash' | 'blockHash' | 'txIndex'>[]
  readonly calls: readonly BlockCalls[]
}

/** The facts that were found of the unknowns. */
export interface Found {
  /** The senders by transaction hash. */
  readonly senders: ReadonlyMap<Hex, Address>
  /** The answers by block hash, in the order of the block's calls. */
  readonly answers: ReadonlyMap<Hex, readonly CallAnswer[]>
}

type UnreadEvent = TokenEventOf<'launch'> & { readonly unread: UnreadLaunch }

export function unknownsOf(events: readonly TokenEvent[]): Unknowns {
  const transactions = new Map<Hex, Unknowns['transactions'][number]>()
  const calls = new Map<Hex, BlockCalls & { readonly calls: ContractCall[] }>()
  for (const event of events) {
    const { txHash, blockHash, txIndex, blockNumber } = event
    if (isBySender(event)) transactions.set(txHash, { txHash, blockHash, txIndex })
    if (!isUnread(event)) continue
    const block = calls.get(blockHash) ?? { number: blockNumber, hash: blockHash, calls: [] }
    block.calls.push(...event.unread.calls)
    calls.set(blockHash, block)
  }
  return { transactions: [...transactions.values()], calls: [...calls.values()] }
}

/** Completes the events by what was found. `unreadable`: the launches that can't be indexed. */
export function withFound(
  events: readonly TokenEvent[],
  found: Found,
): { readonly events: readonly TokenEvent[]; readonly unreadable: readonly TokenEventOf<'launch'>[] } {
  const unreadable: TokenEventOf<'launch'>[] = []
  const read = new Map<Hex, number>()
  const complete = (event: UnreadEvent): readonly TokenEvent[] => {
    const { blockHash, unread } = event
    const first = read.get(blockHash) ?? 0
    read.set(blockHash, first + unread.calls.length)
    const answers = found.answers.get(blockHash)?.slice(first, first + unread.calls.length) ?? []
    const completed = unread.complete(answers, mintedIn(events, event))
    if (completed.length === 0) unreadable.push(event)
    return completed
  }
  const known = events.some(isUnread) ? events.flatMap(event => (isUnread(event) ? complete(event) : event)) : events
  return { events: found.senders.size === 0 ? known : known.map(event => withSender(event, found.senders)), unreadable }
}

function isUnread(event: TokenEvent): event is UnreadEvent {
  return event.kind === 'launch' && event.unread !== undefined
}

function isBySender(event: TokenEvent): event is TokenEventOf<'launch' | 'trade'> {
  return (event.kind === 'launch' || event.kind === 'trade') && event.bySender === true
}

function withSender(event: TokenEvent, senders: Found['senders']): TokenEvent {
  if (!isBySender(event)) return event
  const sender = senders.get(event.txHash)
  if (sender === undefined) return event
  return event.kind === 'launch' ? { ...event, creator: sender } : { ...event, maker: sender }
}

/** The amount that the transfers of a launch's block mint of its token, less the amount that they burn. */
function mintedIn(events: readonly TokenEvent[], { token, blockHash }: UnreadEvent): bigint {
  let minted = 0n
  for (const event of events) {
    if (event.kind !== 'transfer' || event.token !== token || event.blockHash !== blockHash) continue
    if (event.from === ZERO_ADDRESS) minted += event.amount
    if (event.to === ZERO_ADDRESS) minted -= event.amount
  }
  return minted
}
