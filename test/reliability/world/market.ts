import { createHash } from 'node:crypto'
import { encodeAbiParameters, type Hex, parseAbiParameters } from 'viem'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import type { EventsMapping } from '#launchpads/mapping/schema.ts'
import { type NewLog, testAddress } from '#test/support/simulatedChain.ts'
import { LAUNCHPAD_TOPICS } from '#test/support/simulatedLaunchpad.ts'
import { topic, transferLog, words } from '#test/support/simulatedLogs.ts'

/** Something that happened on the generated chain: the truth that the index is compared with, and the source of the block's logs. */
export type MarketEvent =
  | { readonly kind: 'launch'; readonly token: Address; readonly creator: Address; readonly name: string; readonly symbol: string }
  | { readonly kind: 'trade'; readonly token: Address; readonly side: TradeSide; readonly maker: Address; readonly amount: bigint }
  /** A trade whose data is cut off. */
  | { readonly kind: 'broken'; readonly token: Address }
  | { readonly kind: 'transfer'; readonly token: Address; readonly from: Address; readonly to: Address; readonly amount: bigint }

export const FACTORY = testAddress(1)
export const WETH = testAddress(2)
export const SUPPLY = 10n ** 27n
const ETHER = 10n ** 18n
/** What a currency's contract is asked, and what one with six decimals answers. */
export const SYMBOL_SELECTOR = '0x95d89b41'
export const DECIMALS_SELECTOR = '0x313ce567'
export const SIX = `0x${'6'.padStart(64, '0')}`
/** A token is launched in every 25th block, so that each chain has events of two contracts. */
const BLOCKS_PER_LAUNCH = 25
const MAKERS = Array.from({ length: 40 }, (_, index) => testAddress(1_000 + index))

/** A `launchpads.json` with the reference launchpad, from block 1 on. @param events how its events are mapped, where otherwise */
export function launchpadsFile(events?: EventsMapping, weth = WETH): string {
  const launchpad = { name: 'reference', adapter: 'bonding-curve', factory: FACTORY, startBlock: 1, events }
  return JSON.stringify({ weth, launchpads: [launchpad] })
}

/** New tokens for an account. */
export const mint = (token: Address, to: Address, amount: bigint): MarketEvent => ({
  kind: 'transfer',
  token,
  from: ZERO_ADDRESS,
  to,
  amount,
})

export const tokenAt = (index: number): Address => testAddress(100_000 + index)
/** Each token trades on a curve of its own. */
export const curveOf = (token: Address): Address => testAddress(Number(BigInt(token) % 0x1000_0000_0000n) + 1_000_000)

/**
 * What happens in a block: a function of its number and of the branch that it is on, so that a block that replaces another one has other
 * trades. Every 25th block launches a token, under the same address and another name on each branch.
 */
export function marketEvents(number: number, branch: number, trades: number): readonly MarketEvent[] {
  const launched = Math.floor((number - 1) / BLOCKS_PER_LAUNCH)
  const events: MarketEvent[] = []
  for (let index = 0; index < (number > 1 ? trades : 0); index++) {
    const dice = createHash('sha256').update(`${number}:${branch}:${index}`).digest()
    events.push({
      kind: 'trade',
      token: tokenAt(dice.readUInt32BE(0) % Math.ceil((number - 1) / BLOCKS_PER_LAUNCH)),
      side: dice.readUInt8(4) % 4 === 0 ? 'sell' : 'buy',
      maker: MAKERS[dice.readUInt8(5) % MAKERS.length] as Address,
      amount: BigInt(1 + (dice.readUInt32BE(6) % 1_000_000)) * 10n ** 15n,
    })
  }
  if (number % BLOCKS_PER_LAUNCH === 1) {
    const name = `Token ${launched} of branch ${branch}`
    events.push({ kind: 'launch', token: tokenAt(launched), creator: testAddress(900 + branch), name, symbol: `T${launched}` })
  }
  return events
}

/** What a buy costs and a sale brings, in wei. */
export const weiOf = (amount: bigint): bigint => amount / 1_000n

/** The event's logs, its own last: its place in the block is that log's index. */
export function logsOf(event: MarketEvent): readonly NewLog[] {
  switch (event.kind) {
    case 'transfer':
      return [transferLog(event.token, event.from, event.to, event.amount)]
    case 'broken':
      return [{ address: curveOf(event.token), topics: [LAUNCHPAD_TOPICS.bought, topic(FACTORY), topic(FACTORY)], data: '0x1234' }]
    case 'launch':
      return [transferLog(event.token, ZERO_ADDRESS, curveOf(event.token), SUPPLY), launchLog(event)]
    case 'trade': {
      const { token, side, maker, amount } = event
      const curve = curveOf(token)
      const wei = weiOf(amount)
      const after = [2n * ETHER + wei, SUPPLY - amount, wei, SUPPLY - amount]
      const [values, name] = side === 'buy' ? ([[wei, 0n, amount], 'bought'] as const) : ([[amount, wei, 0n], 'sold'] as const)
      const topics = [LAUNCHPAD_TOPICS[name], topic(maker), topic(maker)]
      const [from, to] = side === 'buy' ? [curve, maker] : [maker, curve]
      return [transferLog(token, from, to, amount), { address: curve, topics, data: words(...values, ...after) }]
    }
  }
}

function launchLog({ token, creator, name, symbol }: Extract<MarketEvent, { kind: 'launch' }>): NewLog {
  const data: Hex = encodeAbiParameters(parseAbiParameters('string, string, string, uint256, uint256, uint256, uint256, uint16, uint16'), [
    name,
    symbol,
    '',
    SUPPLY,
    2n * ETHER,
    SUPPLY,
    4n * ETHER,
    100,
    5_000,
  ])
  return { address: FACTORY, topics: [LAUNCHPAD_TOPICS.launched, topic(token), topic(creator), topic(curveOf(token))], data }
}
