import { decodeAbiParameters, toFunctionSelector } from 'viem/utils'
import type { Address, Hex } from '#domain/address.ts'
import { MAX_QUOTE_DECIMALS } from '#domain/route.ts'
import { cleanQuoteSymbol } from '#domain/text.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { faultOf } from '#rpc/rpcFault.ts'
import type { CurrencyRow } from '#tables/currency.ts'

export type FetchedCurrency = Omit<CurrencyRow, 'readAgainAtMs'>

/** The gas limit of a call. It is enough for any token's getter, and stops a contract that burns gas. */
const GAS = '0x7a120'
/** Two words and the longest symbol that is kept, as hex. A contract may return megabytes. */
const MAX_ANSWER_LENGTH = 2 + 2 * (64 + 4 * 1_024)
const WORD_LENGTH = 2 + 64

/**
 * Asks a contract for its `decimals()` and `symbol()`. A value that the contract does not return, or that makes no sense, is `null`.
 *
 * @throws `RpcError` when no provider answers
 */
export async function fetchCurrency(rpc: Pick<Rpc, 'request'>, address: Address): Promise<FetchedCurrency> {
  const [decimals, symbol] = await Promise.all(['decimals()', 'symbol()'].map(getter => ask(rpc, address, getter)))
  return { address, decimals: decimalsOf(decimals ?? null), symbol: symbolOf(symbol ?? null), isRead: true }
}

async function ask(rpc: Pick<Rpc, 'request'>, to: Address, getter: string): Promise<Hex | null> {
  try {
    const answer = await rpc.request({ method: 'eth_call', params: [{ to, data: toFunctionSelector(getter), gas: GAS }, 'latest'] })
    return typeof answer === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(answer) && answer.length <= MAX_ANSWER_LENGTH ? (answer as Hex) : null
  } catch (error) {
    // The call has reverted, or the address has no contract that answers it.
    const kind = faultOf(error)?.kind
    if (kind === 'rejected' || kind === 'node') return null
    throw error
  }
}

function decimalsOf(answer: Hex | null): number | null {
  if (answer?.length !== WORD_LENGTH) return null
  const decimals = BigInt(answer)
  return decimals > BigInt(MAX_QUOTE_DECIMALS) ? null : Number(decimals)
}

/** Reads a `string`, or the `bytes32` of old tokens. */
function symbolOf(answer: Hex | null): string | null {
  if (answer === null || answer.length < WORD_LENGTH) return null
  return cleanQuoteSymbol(textOf(answer))
}

function textOf(answer: Hex): string {
  if (answer.length === WORD_LENGTH) return Buffer.from(answer.slice(2), 'hex').toString('utf8')
  try {
    return decodeAbiParameters([{ type: 'string' }], answer)[0]
  } catch {
    return ''
  }
}
