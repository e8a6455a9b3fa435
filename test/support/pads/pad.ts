import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Abi, type AbiEvent, getAbiItem, keccak256, parseAbi, parseEther, type TransactionReceipt, toEventSelector } from 'viem'
import type { LaunchpadsConfig } from '#config'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { type Address, toAddress } from '#domain/address.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { GraduationStatus } from '#domain/token.ts'
import type { TradeSide } from '#domain/trade.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import type { TestChain } from '#test/support/chain.ts'
import { contractAt } from '#test/support/contractAt.ts'

/** What a launchpad's own contracts say of a token at a block. */
export interface PadState {
  readonly creator: Address
  readonly name: string | null
  readonly symbol: string | null
  readonly quoteToken: Address
  /** Of the curve, in the unit of pool rows. */
  readonly price: Decimal
  /** What the curve holds. */
  readonly held: Reserves
  readonly target: bigint | null
  readonly status: GraduationStatus
  /** What the pair holds that the token has moved into; `null`: it has not. */
  readonly pair: Reserves | null
}

/** `null`: the mapping can't tell. */
export interface Reserves {
  readonly token: bigint | null
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
  /** What else moves a token off its curve when its target is reached. Left out: nothing. */
  finish?(token: Address): Promise<unknown>
  stateAt(token: Address, block: bigint): Promise<PadState>
}

/** A contract of a test chain whose functions are called by name. */
export interface PadContract {
  readonly address: Address
  /** Mines the call in a block of its own. */
  send(from: Address, functionName: string, args: readonly unknown[], value?: bigint): Promise<TransactionReceipt>
  read<T>(functionName: string, args?: readonly unknown[], block?: bigint): Promise<T>
  /** The address that the receipt's log of this event has in a word: topics first, then data. */
  addressIn(receipt: TransactionReceipt, event: string, word: number): Address
}

export function padContract(chain: TestChain, address: Address, abi: Abi): PadContract {
  const contract = contractAt(chain, address, abi)
  return {
    address,
    send: contract.send,
    read: contract.read as PadContract['read'],
    addressIn: ({ logs }, event, word) => {
      const selector = toEventSelector(getAbiItem({ abi, name: event }) as AbiEvent)
      const log = logs.find(({ topics }) => topics[0] === selector)
      const words = [...(log?.topics ?? []).map(topic => topic.slice(2)), ...(log?.data.slice(2).match(/.{64}/g) ?? [])]
      return toAddress(`0x${words[word]?.slice(24) ?? ''}`)
    },
  }
}

export const ERC20 = parseAbi([
  'function deposit() payable',
  'function balanceOf(address) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
])
export const PAIRS = parseAbi(['function getPair(address, address) view returns (address)'])
const PAIR = parseAbi(['function token0() view returns (address)', 'function getReserves() view returns (uint112, uint112, uint32)'])

/** Gives every trader of a chain the same of a currency that its first account holds. */
export async function share(chain: TestChain, currency: Address): Promise<void> {
  const [holder, ...traders] = chain.accounts as [Address, ...Address[]]
  for (const trader of traders) await padContract(chain, currency, ERC20).send(holder, 'transfer', [trader, parseEther('300')])
}

/** What a Uniswap v2 pair holds of a token and of the other currency. */
export async function pairReserves(chain: TestChain, pair: Address, token: Address, block: bigint) {
  const contract = padContract(chain, pair, PAIR)
  const [first, second] = await contract.read<readonly [bigint, bigint, number]>('getReserves', [], block)
  const isFirst = toAddress(await contract.read<string>('token0')) === token
  return isFirst ? { token: first, quote: second } : { token: second, quote: first }
}

interface PublishedFile {
  readonly launchpads: readonly { readonly events: Readonly<Record<string, object>> }[]
}

/** The published hash of the creation code of Uniswap's v2 pairs is not that of the pairs that tests deploy. */
export function testPairs(factory: Address): object {
  const { bytecode } = createRequire(import.meta.url)('@uniswap/v2-core/build/UniswapV2Pair.json') as { readonly bytecode: string }
  return { factory, codeHash: keccak256(`0x${bytecode}`) }
}

/** A mapping of `docs/mappings`, with the contracts of a test chain, and changes to its events. */
export function publishedMapping(
  file: string,
  weth: Address,
  contracts: object,
  changes: Readonly<Record<string, object>> = {},
): LaunchpadsConfig['launchpads'] {
  const text = readFileSync(new URL(`../../../docs/mappings/${file}`, import.meta.url), 'utf8')
  const launchpads = (JSON.parse(text) as PublishedFile).launchpads.map(entry => {
    const changed = Object.entries(changes).map(([kind, change]) => [kind, { ...entry.events[kind], ...change }])
    return { ...entry, startBlock: 1, ...contracts, events: { ...entry.events, ...Object.fromEntries(changed) } }
  })
  const result = parseLaunchpads(JSON.stringify({ weth, launchpads }), ADAPTER_KINDS)
  if (result.kind === 'invalid') throw new Error(result.problems.join('\n'))
  return result.value.launchpads
}

/** What a block changed in an account's holding of a currency; of WETH, what it paid or received in either form of ether, without gas. */
export async function changeOf(chain: TestChain, holder: Address, currency: Address, block: bigint): Promise<bigint> {
  const contract = padContract(chain, currency, ERC20)
  const { weth } = chain.deployment
  const heldAt = async (at: bigint) => {
    const held = await contract.read<bigint>('balanceOf', [holder], at).catch(() => 0n)
    return currency === weth ? held + (await chain.client.getBalance({ address: holder, blockNumber: at })) : held
  }
  let gas = 0n
  const { transactions } = await chain.client.getBlock({ blockNumber: block, includeTransactions: true })
  for (const { from, hash } of currency === weth ? transactions : []) {
    const receipt = await chain.client.getTransactionReceipt({ hash })
    if (toAddress(from) === holder) gas += receipt.gasUsed * receipt.effectiveGasPrice
  }
  return (await heldAt(block)) - (await heldAt(block - 1n)) + gas
}
