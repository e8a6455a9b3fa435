import { type Hex, pad, parseAbiItem, toEventSelector } from 'viem'
import type { Address } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { decodeLogs } from '#launchpads/decodeLogs.ts'
import { createDirectory } from '#launchpads/directory/directory.ts'
import { createMappedAdapter } from '#launchpads/mapping/compile.ts'
import type { EventsMapping } from '#launchpads/mapping/schema.ts'
import { testAddresses } from '#test/support/simulatedChain.ts'

export const [WETH, WHO, ROUTER, FACTORY, OTHER_FACTORY, TOKEN, OTHER, CURVE, OTHER_CURVE, PAIR, MONEY] = testAddresses([
  900, 1, 2, 10, 11, 500, 510, 501, 502, 503, 950,
])
export const TX: Hex = `0x${'2'.repeat(64)}`
export const HEADER = { number: 1, hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}`, timestamp: 1_700_000_000 } as const

/** A launch that tells its token, creator and curve. */
export const LAUNCH = {
  event: 'event Launch(address indexed token, address indexed by, address indexed curve)',
  emitter: 'factory',
  token: 'token',
  creator: 'by',
  curve: 'curve',
  decimals: 18,
} as const
/** A trade that tells its token, maker, side and amounts. */
export const DEAL = {
  event: 'event Deal(address indexed token, address indexed who, bool buy, uint256 got, uint256 paid)',
  token: 'token',
  maker: 'who',
  isBuy: 'buy',
  tokenAmount: 'got',
  quoteAmount: 'paid',
} as const

/** A log of the block's only transaction. */
export const aLog = (address: Address, topics: readonly Hex[], data: Hex = '0x', logIndex = 0): ChainLog => ({
  address,
  topics,
  data,
  blockNumber: HEADER.number,
  blockHash: HEADER.hash,
  txHash: TX,
  txIndex: 0,
  logIndex,
})

export type Word = Address | bigint

/** A log of an event in Solidity's notation whose parameters are words. */
export function logOf(address: Address, event: string, ...words: readonly Word[]): ChainLog {
  const { inputs } = parseAbiItem(event) as { readonly inputs: readonly { readonly indexed?: boolean }[] }
  const encoded = words.map(word => pad(typeof word === 'bigint' ? `0x${word.toString(16)}` : word))
  const topics = encoded.filter((_, index) => inputs[index]?.indexed === true)
  const data: Hex = `0x${encoded.flatMap((word, index) => (inputs[index]?.indexed === true ? [] : [word.slice(2)])).join('')}`
  return aLog(address, [toEventSelector(event), ...topics], data)
}

/** An adapter of these events, all of one factory. */
export const mappedAdapter = (events: EventsMapping) =>
  createMappedAdapter({ launchpad: 'mine', events, contracts: { factory: FACTORY }, weth: WETH, startBlock: 0 })

/** What adapters make of the logs of one transaction, and which sources they know then. */
export function decoded(adapters: readonly ReturnType<typeof mappedAdapter>[], logs: readonly ChainLog[]) {
  const directory = createDirectory(adapters)
  const numbered = logs.map((log, logIndex) => ({ ...log, logIndex }))
  directory.add(directory.discoveries(numbered), 1)
  return { directory, logs: numbered, ...decodeLogs({ logs: numbered, headers: [HEADER], directory, adapters }) }
}
