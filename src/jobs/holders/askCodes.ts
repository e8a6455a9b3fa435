import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { callAtBlock } from '#rpc/callAtBlock.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { runAt } from '#rpc/rpcCalls.ts'
import { RpcError } from '#rpc/rpcFault.ts'

export interface CodesQuestion {
  /** At most `MOST_ASKED`. */
  readonly holders: readonly Address[]
  readonly block: Pick<BlockHeader, 'number' | 'hash'>
}

/** In one call: some 800,000 gas and 6 KB of code, below what nodes and EIP-3860 allow. */
export const MOST_ASKED = 300

/** `HolderCodes.yul`, compiled: answers a byte per address that follows it, 1 for a contract. One call costs what one `eth_getCode` does. */
export const HOLDER_CODES: Hex =
  '0x604e6014813803049060005b828110601657826040f35b80601480600193028401600c396000516000602052600360006020833c62ef010060205160e81c1415903b151516816040015301600b56'

/**
 * Which addresses are contracts at a block. An account that has delegated to code (EIP-7702) is none.
 *
 * @returns in the order of `holders`
 * @throws `RpcError` when no provider can be asked, none shows that block, or the one that does refuses to run code that is not deployed
 */
export async function askCodes(rpc: Pick<Rpc, 'ask'>, { holders, block }: CodesQuestion): Promise<readonly boolean[]> {
  const code: Hex = `${HOLDER_CODES}${holders.map(holder => holder.slice(2)).join('')}`
  const answer = await rpc.ask(async provider => {
    const answer = await callAtBlock(provider, block, runAt(block.number, code))
    return answer.kind === 'refusal' ? answer.fault : readCodes(answer.value, holders.length)
  })
  // Thrown here, it does not count against the provider.
  if ('kind' in answer) throw new RpcError(answer)
  return answer
}

function readCodes(value: unknown, count: number): readonly boolean[] {
  const flags = typeof value === 'string' && /^0x(?:0[01])*$/.test(value) ? value.slice(2) : ''
  if (flags.length !== 2 * count) throw new RpcError({ kind: 'garbled', what: `not a byte for each of ${count} addresses` })
  return Array.from({ length: count }, (_, index) => flags[2 * index + 1] === '1')
}
