import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { callAtBlock } from '#rpc/callAtBlock.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { runAt } from '#rpc/rpcCalls.ts'
import { garbled, RpcError } from '#rpc/rpcFault.ts'

/** A call with this many holders takes some 800,000 gas and 6 KB of code, within the limits of nodes and EIP-3860. */
export const MAX_HOLDERS_PER_CALL = 300

/**
 * `HolderCodes.yul`, compiled. With addresses appended, it returns a byte for each: 1 for a contract. Providers charge as much for it as
 * for one `eth_getCode`.
 */
export const HOLDER_CODES: Hex =
  '0x604e6014813803049060005b828110601657826040f35b80601480600193028401600c396000516000602052600360006020833c62ef010060205160e81c1415903b151516816040015301600b56'

/**
 * Which of at most `MAX_HOLDERS_PER_CALL` holders are contracts at a block. Accounts with an EIP-7702 delegation do not count as contracts.
 *
 * @returns in the order of `holders`
 * @throws `RpcError` when no provider answers, none has the block, or the one that has it refuses to run code that is not deployed
 */
export async function fetchHolderCodes(
  rpc: Pick<Rpc, 'ask'>,
  { holders, block }: { readonly holders: readonly Address[]; readonly block: Pick<BlockHeader, 'number' | 'hash'> },
): Promise<readonly boolean[]> {
  const code: Hex = `${HOLDER_CODES}${holders.map(holder => holder.slice(2)).join('')}`
  const answered = await rpc.ask(async provider => {
    const answer = await callAtBlock(provider, block, runAt(block.number, code))
    return answer.kind === 'refusal' ? answer : { kind: 'codes' as const, codes: parseCodes(answer.value, holders.length) }
  })
  // The refusal is thrown here, since inside `ask` it would count against the provider's health.
  if (answered.kind === 'refusal') throw new RpcError(answered.fault)
  return answered.codes
}

function parseCodes(value: unknown, count: number): readonly boolean[] {
  const flags = typeof value === 'string' && /^0x(?:0[01])*$/.test(value) ? value.slice(2) : ''
  if (flags.length !== 2 * count) throw garbled(`not a byte for each of ${count} addresses`)
  return Array.from({ length: count }, (_, index) => flags[2 * index + 1] === '1')
}
