import { type AbiEvent, type AbiParameter, encodeAbiParameters, encodeEventTopics, parseAbiItem } from 'viem'
import { expect } from 'vitest'
import type { LaunchpadConfig } from '#config'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { followLogs, type LogBlock } from './followLogs.ts'
import { type NewLog, testAddress } from './simulatedChain.ts'
import { transferLog } from './simulatedLogs.ts'

export const WETH = testAddress(900)
export const DOLLAR = testAddress(950)
export const CREATOR = testAddress(1)
export const BUYER = testAddress(2)
export const LIAR = testAddress(3)
export const FACTORY = testAddress(10)
export const LOCKER = testAddress(11)
export const UNISWAP = testAddress(12)
export const ESCROW = testAddress(13)
export const MANAGER = testAddress(14)
export const TOKEN = testAddress(500)
export const POOL = testAddress(501)
export const CURVE = testAddress(502)
export const FAKE_POOL = testAddress(666)
export const OTHER = testAddress(510)
export const OTHER_POOL = testAddress(511)
const Q96 = 2n ** 96n
export const SUPPLY = 10n ** 27n

/** A log of an event in Solidity's notation. Fields that are left out are zero or empty. */
export function logOf(address: Address, signature: string, fields: Readonly<Record<string, unknown>>): NewLog {
  const event = parseAbiItem(signature as 'event E(address indexed a)') as AbiEvent
  const args = withEmpty(event.inputs, fields)
  const data = event.inputs.filter(({ indexed }) => indexed !== true)
  return {
    address,
    topics: encodeEventTopics<AbiEvent[]>({ abi: [event], eventName: event.name, args }).filter(topic => typeof topic === 'string'),
    data: encodeAbiParameters(
      data,
      data.map(({ name }) => args[name ?? '']),
    ),
  }
}

function withEmpty(inputs: readonly AbiParameter[], fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(inputs.map(input => [input.name ?? '', valueOf(input, fields[input.name ?? ''])]))
}

function valueOf(input: AbiParameter, given: unknown): unknown {
  if ('components' in input) return withEmpty(input.components, (given ?? {}) as Readonly<Record<string, unknown>>)
  if (given !== undefined) return given
  if (input.type.endsWith(']')) return []
  if (input.type === 'string') return ''
  if (input.type === 'bool') return false
  if (input.type === 'address') return ZERO_ADDRESS
  if (input.type.startsWith('bytes')) return `0x${'00'.repeat(Number(input.type.slice(5)))}`
  return 0n
}

/** The same log by another contract. */
export const by = (address: Address, { topics, data }: NewLog): NewLog => ({ address, topics: topics ?? [], data: data ?? '0x' })

export const poolCreated = (pool: Address, quote: Address, token = TOKEN, fee = 10_000): NewLog => {
  const [token0, token1] = [token, quote].toSorted()
  const signature = 'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)'
  return logOf(UNISWAP, signature, { token0, token1, fee, tickSpacing: 200, pool })
}
export const initialized = (pool: Address, sqrtPriceX96 = Q96): NewLog =>
  logOf(pool, 'event Initialize(uint160 sqrtPriceX96, int24 tick)', { sqrtPriceX96, tick: 0 })
const SWAP =
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)'
export const swap = (pool: Address, amount0: bigint, amount1: bigint, sqrtPriceX96 = Q96): NewLog =>
  logOf(pool, SWAP, { sender: BUYER, recipient: BUYER, amount0, amount1, sqrtPriceX96, liquidity: 5n, tick: 0 })
export const mint = (to: Address, token = TOKEN) => transferLog(token, ZERO_ADDRESS, to, SUPPLY)
/** A buy of a pool's token by the buyer. */
export const bought = (pool: Address, token = TOKEN) => [transferLog(token, pool, BUYER, 10n ** 21n), swap(pool, -(10n ** 21n), 10n ** 18n)]

export const entry = (adapter: string, contracts: Readonly<Record<string, Address>>): LaunchpadConfig => ({
  name: adapter,
  adapter,
  startBlock: 1,
  contracts,
})

/** What the tables hold of a token, without places in blocks, which lies in the same transaction move. */
export async function rowsOf(launchpad: LaunchpadConfig, blocks: readonly LogBlock[], atOnce: number, token = TOKEN) {
  const { tables } = await followLogs({ launchpads: [launchpad], weth: WETH, blocks, atOnce })
  const { tokens, pools, trades, balances, creatorFees } = tables
  return {
    token: tokens.get(token),
    pools: [...pools.values()].filter(pool => pool.token === token),
    trades: trades.filter(trade => trade.token === token).map(({ logIndex: _, ...trade }) => trade),
    balances: [...balances.values()].filter(balance => balance.token === token),
    creatorFees: [...creatorFees.values()],
  }
}

/** Follows the honest blocks, and the same with lies before and after the logs of each transaction and in a block of their own. */
export async function expectUnmoved(launchpad: LaunchpadConfig, honest: readonly LogBlock[], lies: readonly NewLog[]): Promise<void> {
  const told = [...honest.map(block => block.map(logs => [...lies, ...logs, ...lies])), [lies]]
  for (const atOnce of [1, 5]) {
    const expected = await rowsOf(launchpad, [...honest, []], atOnce)
    expect(expected.token?.tradeCount).toBeGreaterThan(0)
    expect(await rowsOf(launchpad, told, atOnce)).toEqual(expected)
  }
}
