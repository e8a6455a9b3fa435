import { numberToHex } from 'viem'
import type { ProvidedChain } from '#benchmarks/chain/provider.ts'
import type { Address, Hex } from '#domain/address.ts'
import { NodeFailure, rawLog, type SimulatedBlock } from '#test/support/simulatedChain.ts'
import { tradeBlock } from './chainLogs.ts'
import { CHAIN_ID } from './loadTables.ts'
import type { GrowthScale } from './scale.ts'
import type { TokenPlan } from './tokenPlan.ts'

/** The chain of the history, which grows. */
export interface GrowthChain extends ProvidedChain {
  /** Adds a block with trades. */
  mine(): SimulatedBlock
}

export interface GrowthChainOptions {
  readonly scale: GrowthScale
  /** The newest block in the database. */
  readonly from: number
  readonly tokens: readonly TokenPlan[]
  readonly tradesPerBlock: number
}

/** Making a block takes milliseconds, and it is asked for several times. */
const KEPT_BLOCKS = 256
const FINAL_DEPTH = 20

export function createGrowthChain({ scale, from, tokens, tradesPerBlock }: GrowthChainOptions): GrowthChain {
  let head = from
  const made = new Map<number, SimulatedBlock>()
  const numbers = new Map<Hex, number>()
  const at = (number: number): SimulatedBlock => {
    const block = made.get(number) ?? tradeBlock(scale, number, tokens, number > from ? tradesPerBlock : 0)
    made.set(number, block)
    numbers.set(block.header.hash, number)
    made.delete(number - KEPT_BLOCKS)
    return block
  }
  const numberOf = (tag: unknown) => (tag === 'latest' ? head : tag === 'safe' || tag === 'finalized' ? head - FINAL_DEPTH : Number(tag))
  const blockOf = (number: number | undefined) => (number === undefined || number > head ? null : rawHeader(at(number)))
  return {
    chainId: CHAIN_ID,
    head: () => at(head),
    at,
    mine: () => {
      head++
      return at(head)
    },
    answer: (method, params) => {
      switch (method) {
        case 'eth_chainId':
          return numberToHex(CHAIN_ID)
        case 'eth_getBlockByNumber':
          return blockOf(numberOf(params[0]))
        case 'eth_getBlockByHash':
          return blockOf(numbers.get(params[0] as Hex))
        case 'eth_getLogs': {
          const filter = params[0] as { blockHash?: Hex; fromBlock?: string; toBlock?: string; address?: Address | Address[] }
          const addresses = filter.address === undefined ? null : new Set([filter.address].flat())
          const one = filter.blockHash === undefined ? undefined : numbers.get(filter.blockHash)
          const [first, last] = [one ?? numberOf(filter.fromBlock), one ?? numberOf(filter.toBlock)]
          const logs = Array.from({ length: last - first + 1 }, (_, index) => at(first + index).logs).flat()
          return logs.filter(({ address }) => addresses === null || addresses.has(address)).map(rawLog)
        }
        default:
          throw new NodeFailure(-32_601, `the method ${method} is not available`)
      }
    },
  }
}

function rawHeader({ header }: SimulatedBlock): unknown {
  const { number, hash, parentHash, timestamp, logsBloom, baseFeeWei } = header
  return {
    number: numberToHex(number),
    hash,
    parentHash,
    timestamp: numberToHex(timestamp),
    logsBloom,
    // No receipt is asked for.
    receiptsRoot: hash,
    baseFeePerGas: baseFeeWei === null ? null : numberToHex(baseFeeWei),
  }
}
