import { readFileSync } from 'node:fs'
import { type Abi, type AbiEvent, encodeFunctionData, getAbiItem, parseAbi, type TransactionReceipt, toEventSelector } from 'viem'
import type { LaunchpadsConfig } from '#config'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { type Address, toAddress } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import type { TestChain } from '#test/support/chain.ts'

/** What a launchpad's own contracts say of a token at a block. */
export interface PadState {
  readonly creator: Address
  readonly name: string | null
  readonly symbol: string | null
  readonly quoteToken: Address
  /** What the curve's price follows from. */
  readonly virtual: Reserves
  /** What the curve holds. */
  readonly real: Reserves
  readonly targetQuote: bigint | null
  /** What the pair holds that the token has moved into; `null`: it has not. */
  readonly pair: Reserves | null
}

export interface Reserves {
  readonly token: bigint
  readonly quote: bigint
}

/** A launchpad on a test chain, and the mapping by which it is indexed. */
export interface Pad {
  readonly launchpads: LaunchpadsConfig['launchpads']
  /** Those that it has launched so far. */
  readonly tokens: readonly Address[]
  launch(from: Address, firstBuy: bigint): Promise<unknown>
  /** @param amount of the quote currency for a buy, of tokens for a sell */
  trade(from: Address, token: Address, side: TradeSide, amount: bigint): Promise<unknown>
  stateAt(token: Address, block: bigint): Promise<PadState>
}

/** A contract of a test chain whose functions are called by name. */
export interface PadContract {
  readonly address: Address
  /** Mines the call in a block of its own. */
  send(from: Address, functionName: string, args: readonly unknown[], value?: bigint): Promise<TransactionReceipt>
  read<T>(functionName: string, args?: readonly unknown[], block?: bigint): Promise<T>
  /** The address that the receipt's log of this event has in a topic. */
  addressIn(receipt: TransactionReceipt, event: string, topic: number): Address
}

export function padContract(chain: TestChain, address: Address, abi: Abi): PadContract {
  return {
    address,
    send: (from, functionName, args, value = 0n) => {
      const data = encodeFunctionData({ abi, functionName, args })
      return chain.mined(chain.client.sendTransaction({ account: from, chain: null, to: address, data, value, gas: 15_000_000n }))
    },
    read: <T>(functionName: string, args: readonly unknown[] = [], blockNumber?: bigint) =>
      chain.client.readContract({ address, abi, functionName, args, ...(blockNumber !== undefined && { blockNumber }) }) as Promise<T>,
    addressIn: ({ logs }, event, topic) => {
      const selector = toEventSelector(getAbiItem({ abi, name: event }) as AbiEvent)
      return toAddress(`0x${logs.find(({ topics }) => topics[0] === selector)?.topics[topic]?.slice(26) ?? ''}`)
    },
  }
}

export const ERC20 = parseAbi([
  'function deposit() payable',
  'function balanceOf(address) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
])
const PAIR = parseAbi(['function token0() view returns (address)', 'function getReserves() view returns (uint112, uint112, uint32)'])

/** What a Uniswap v2 pair holds of a token and of the other currency. */
export async function pairReserves(chain: TestChain, pair: Address, token: Address, block: bigint): Promise<Reserves> {
  const contract = padContract(chain, pair, PAIR)
  const [first, second] = await contract.read<readonly [bigint, bigint, number]>('getReserves', [], block)
  const isFirst = toAddress(await contract.read<string>('token0')) === token
  return isFirst ? { token: first, quote: second } : { token: second, quote: first }
}

/** A mapping of `docs/mappings`, with the contracts of a test chain. */
export function publishedMapping(file: string, weth: Address, changes: object): LaunchpadsConfig['launchpads'] {
  const text = readFileSync(new URL(`../../../docs/mappings/${file}`, import.meta.url), 'utf8')
  const published = JSON.parse(text) as { readonly launchpads: readonly object[] }
  const launchpads = published.launchpads.map(entry => ({ ...entry, startBlock: 1, ...changes }))
  const result = parseLaunchpads(JSON.stringify({ weth, launchpads }), ADAPTER_KINDS)
  if (!result.ok) throw new Error(result.problems.join('\n'))
  return result.value.launchpads
}
