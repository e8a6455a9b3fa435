import { toEventSelector } from 'viem'
import { logsBloom } from '#chain/chainSource.ts'
import type { Address } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { SimulatedBlock } from '#test/support/simulatedChain.ts'
import { TRANSFER, topic, words } from '#test/support/simulatedLogs.ts'
import { addressOf, hashOf } from './hex.ts'
import { headerOf, IDENTITY } from './loadTables.ts'
import { createRandom, type Random } from './random.ts'
import type { GrowthScale } from './scale.ts'
import { SUPPLY, WETH } from './tokenEvents.ts'
import { LAUNCHPADS, type TokenPlan } from './tokenPlan.ts'

type LooseLog = Pick<ChainLog, 'address' | 'topics' | 'data'>

const TOPICS = {
  accrued: toEventSelector('FeeAccrued(address,address,address,uint256)'),
  bought: toEventSelector('Bought(address,address,uint256,uint256,uint256,uint256,uint256,uint256,uint256)'),
  sold: toEventSelector('Sold(address,address,uint256,uint256,uint256,uint256,uint256,uint256,uint256)'),
  swap: toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'),
}

/** A block of trades of these tokens by these wallets. Equal numbers give equal blocks. */
export function tradeBlock(scale: GrowthScale, number: number, tokens: readonly TokenPlan[], trades: number): SimulatedBlock {
  const random = createRandom(number)
  const transactions = Array.from({ length: trades }, () => {
    const token = tokens[random.integer(0, tokens.length - 1)]
    if (token === undefined) throw new RangeError('no tokens to trade')
    return tradeLogs(token, addressOf('wallet', random.integer(0, scale.wallets - 1)), random)
  })
  return blockOf(scale, number, transactions)
}

function blockOf(scale: GrowthScale, number: number, transactions: readonly (readonly LooseLog[])[]): SimulatedBlock {
  const header = headerOf(scale, number)
  const logs = transactions
    .flatMap((logs, txIndex) => logs.map(log => ({ ...log, txIndex, txHash: hashOf('transaction', 2 ** 45 + number * 10_000 + txIndex) })))
    .map((log, logIndex): ChainLog => ({ ...log, logIndex, blockNumber: number, blockHash: header.hash }))
  return {
    header: {
      ...header,
      logsBloom: logsBloom(logs),
      receiptsRoot: header.hash,
      baseFeeWei: 10_000_000n,
      isProven: false,
      unknownFields: [],
    },
    logs,
  }
}

function tradeLogs(plan: TokenPlan, maker: Address, random: Random): readonly LooseLog[] {
  const amount = BigInt(random.integer(1, 1_000_000)) * 10n ** 15n
  const wei = BigInt(random.integer(1, 1_000)) * 10n ** 12n
  return plan.fate === 'migrated' ? swapLogs(plan, maker, amount, wei) : curveLogs(plan, maker, amount, wei)
}

function curveLogs({ address, curve, creator, launchpad }: TokenPlan, maker: Address, amount: bigint, wei: bigint): readonly LooseLog[] {
  const fee = wei / 100n
  const after = [10n ** 18n + wei, SUPPLY - amount, wei, SUPPLY - amount]
  return [
    transfer(address, curve, maker, amount),
    { address: curve, topics: [TOPICS.bought, topic(maker), topic(maker)], data: words(wei, fee, amount, ...after) },
    {
      address: factoryOf(launchpad),
      topics: [TOPICS.accrued, topic(address), topic(creator), topic(WETH)],
      data: words(fee / 2n),
    },
  ]
}

function swapLogs({ address, pool }: TokenPlan, maker: Address, amount: bigint, wei: bigint): readonly LooseLog[] {
  const [amount0, amount1] = address < WETH ? [-amount, wei] : [wei, -amount]
  return [
    transfer(address, pool as Address, maker, amount),
    {
      address: pool as Address,
      topics: [TOPICS.swap, topic(maker), topic(maker)],
      data: words(amount0, amount1, (1n << 96n) / 10_000n, 10n ** 21n, -184_216n),
    },
  ]
}

function factoryOf(launchpad: TokenPlan['launchpad']): Address {
  const factory = IDENTITY.launchpads[LAUNCHPADS.indexOf(launchpad)]?.contracts['factory']
  if (factory === undefined) throw new RangeError(`no launchpad ${launchpad}`)
  return factory
}

function transfer(token: Address, from: Address, to: Address, amount: bigint): LooseLog {
  return { address: token, topics: [TRANSFER, topic(from), topic(to)], data: words(amount) }
}
