import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem'
import type { Address, Hex } from '#domain/address.ts'
import { ZERO_ADDRESS } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { createDirectory, type Directory } from '#launchpads/directory.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { addressOf, hashOf } from '#test/support/snapshots.ts'

const ABI = parseAbi([
  'event TokenLaunched(address indexed token, address indexed creator, address indexed curve, string name, string symbol, string metadataUri, uint256 totalSupply, uint256 virtualWei, uint256 virtualToken, uint256 targetWei, uint16 feeBps, uint16 creatorShareBps)',
  'event FeeAccrued(address indexed token, address indexed creator, address indexed currency, uint256 amount)',
  'event Bought(address indexed buyer, address indexed recipient, uint256 paidWei, uint256 feeWei, uint256 tokenAmount, uint256 virtualWei, uint256 virtualToken, uint256 realWei, uint256 realToken)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

export const WETH = addressOf(0xeee)
export const TOKEN = addressOf(0x70)
export const SUPPLY = 10n ** 27n
const FACTORY = addressOf(0xfa)
const CURVE = addressOf(0xc1)
const CREATOR = addressOf(0xc0)
const LAUNCH_BLOCK = 100
const GENESIS_TIME = 1_795_000_000

/** Tokens, wei and fee of the n-th buy of a block, from 0 on; round numbers, so that sums are known in advance. */
export const TOKENS_PER_BUY = 10n ** 21n
export const WEI_PER_BUY = 10n ** 15n
const FEE_PER_BUY = 10n ** 13n
export const CREATOR_SHARE_PER_BUY = 5n * 10n ** 12n

/** The logs of one block of the reference launchpad, as the chain source returns them. */
export interface BlockOfLogs {
  readonly header: BlockHeader
  readonly logs: readonly ChainLog[]
}

/** The launch of a token on its curve. */
export function launchBlock(): BlockOfLogs {
  const launched = log(
    0,
    FACTORY,
    encodeEventTopics({ abi: ABI, eventName: 'TokenLaunched', args: { token: TOKEN, creator: CREATOR, curve: CURVE } }),
    encodeAbiParameters(
      ['string', 'string', 'string', 'uint256', 'uint256', 'uint256', 'uint256', 'uint16', 'uint16'].map(type => ({ type })),
      ['Alpha', 'ALP', 'ipfs://alpha', SUPPLY, 10n ** 18n, SUPPLY, 4n * 10n ** 18n, 100, 5_000],
    ),
  )
  const minted = transfer(1, ZERO_ADDRESS, CURVE, SUPPLY)
  return block(LAUNCH_BLOCK, [minted, launched])
}

/** The block after the launch: buys of three logs each, each in its own transaction and by its own buyer. */
export function buysBlock(count: number): BlockOfLogs {
  const buys = Array.from({ length: count }, (_, index) => {
    const buyer = addressOf(0x10_000 + index)
    const sold = TOKENS_PER_BUY * BigInt(index + 1)
    const raised = WEI_PER_BUY * BigInt(index + 1)
    return [
      transfer(index, CURVE, buyer, TOKENS_PER_BUY),
      log(
        index,
        CURVE,
        encodeEventTopics({ abi: ABI, eventName: 'Bought', args: { buyer, recipient: buyer } }),
        words(WEI_PER_BUY, FEE_PER_BUY, TOKENS_PER_BUY, 10n ** 18n + raised, SUPPLY - sold, raised, SUPPLY - sold),
      ),
      log(
        index,
        FACTORY,
        encodeEventTopics({ abi: ABI, eventName: 'FeeAccrued', args: { token: TOKEN, creator: CREATOR, currency: WETH } }),
        words(CREATOR_SHARE_PER_BUY),
      ),
    ]
  })
  return block(LAUNCH_BLOCK + 1, buys.flat())
}

/** The reference launchpad's adapter, and a directory with the token and its curve. */
export function launchpadFixture(): { readonly adapters: readonly LaunchpadAdapter[]; readonly directory: Directory } {
  const launchpads = [{ name: 'reference', adapter: 'bonding-curve', startBlock: 0, contracts: { factory: FACTORY } }]
  const adapters = createAdapters({ weth: WETH, launchpads })
  const directory = createDirectory(adapters)
  directory.add(directory.discoveries(launchBlock().logs), LAUNCH_BLOCK)
  return { adapters, directory }
}

type LooseLog = Pick<ChainLog, 'address' | 'topics' | 'data' | 'txIndex'>

function block(number: number, logs: readonly LooseLog[]): BlockOfLogs {
  const hash = hashOf(number)
  return {
    header: { number, hash, parentHash: hashOf(number - 1), timestamp: GENESIS_TIME + 2 * number },
    logs: logs.map((log, logIndex) => ({
      ...log,
      blockNumber: number,
      blockHash: hash,
      txHash: hashOf(number * 100_000 + log.txIndex),
      logIndex,
    })),
  }
}

function log(txIndex: number, address: Address, topics: readonly unknown[], data: Hex): LooseLog {
  return { address, topics: topics as readonly Hex[], data, txIndex }
}

function transfer(txIndex: number, from: Address, to: Address, value: bigint): LooseLog {
  return log(txIndex, TOKEN, encodeEventTopics({ abi: ABI, eventName: 'Transfer', args: { from, to } }), words(value))
}

function words(...values: readonly bigint[]): Hex {
  return `0x${values.map(value => value.toString(16).padStart(64, '0')).join('')}`
}
