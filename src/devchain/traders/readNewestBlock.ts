import { type Address as AnyAddress, decodeEventLog, type Hex } from 'viem'
import { curveAbi, launchpadAbi, tokenAbi } from '#devchain/abis.ts'
import type { DevChain } from '#devchain/actions.ts'
import { v4LaunchpadAbi } from '#devchain/v4Abis.ts'
import { type Address, toAddress } from '#domain/address.ts'
import type { MarketEvent } from './market.ts'

/** The used part of an `eth_getBlockReceipts` answer. */
interface RawReceipt {
  readonly status: Hex
  readonly logs: readonly RawLog[]
}

interface RawLog {
  readonly address: AnyAddress
  readonly topics: [signature: Hex, ...rest: Hex[]]
  readonly data: Hex
}

export interface BlockResult {
  readonly transactions: number
  readonly reverted: number
  readonly events: readonly MarketEvent[]
}

/** The transactions and events of the newest block, in log order. */
export async function readNewestBlock(chain: DevChain): Promise<BlockResult> {
  // viem has no type for this method.
  const request = chain.client.request as (call: { method: string; params: readonly unknown[] }) => Promise<unknown>
  const receipts = (await request({ method: 'eth_getBlockReceipts', params: ['latest'] })) as readonly RawReceipt[]
  return {
    transactions: receipts.length,
    reverted: receipts.filter(receipt => receipt.status !== '0x1').length,
    events: receipts.flatMap(receipt => receipt.logs).flatMap(log => marketEvent(chain, log) ?? []),
  }
}

const ABI = [...launchpadAbi, ...v4LaunchpadAbi, ...curveAbi, ...tokenAbi].filter(item => item.type === 'event')

/** `undefined` for logs of other contracts (Uniswap, WETH) and events that the traders do not use. */
function marketEvent({ deployment, factories }: DevChain, log: RawLog): MarketEvent | undefined {
  const event = decode(log)
  switch (event?.eventName) {
    case 'TokenLaunched': {
      const { token, curve, creator } = event.args
      const launched = { kind: 'launched', token: toAddress(token), curve: toAddress(curve), creator: toAddress(creator) } as const
      return toAddress(log.address) === factories?.dollarLaunchpad
        ? { ...launched, venue: 'dollar', quote: factories.dollar }
        : { ...launched, venue: 'ether', quote: deployment.weth }
    }
    case 'TokenCreated': {
      const { tokenAddress, tokenAdmin, pairedToken } = event.args
      const [token, creator, quote] = [tokenAddress, tokenAdmin, pairedToken].map(toAddress) as [Address, Address, Address]
      return { kind: 'launched', token, creator, quote, venue: 'v4', curve: null }
    }
    case 'Transfer':
      return { kind: 'received', token: toAddress(log.address), holder: toAddress(event.args.to) }
    case 'Completed':
      return { kind: 'completed', curve: toAddress(log.address) }
    case 'Graduated':
      return { kind: 'graduated', token: toAddress(event.args.token), pool: toAddress(event.args.pool) }
    default:
      return undefined
  }
}

function decode(log: RawLog) {
  try {
    return decodeEventLog({ abi: ABI, topics: log.topics, data: log.data })
  } catch {
    return undefined // of another contract
  }
}
