import type { BlockHeader } from '#domain/block.ts'
import { parseHeader } from './header.ts'
import type { RpcProvider } from './rpc.ts'
import { blockByNumber } from './rpcCalls.ts'
import type { RpcCall } from './rpcEndpoint.ts'
import { faultOf, inconsistent, type RpcFault } from './rpcFault.ts'

export type CallAtBlock = { readonly kind: 'answer'; readonly value: unknown } | { readonly kind: 'refusal'; readonly fault: RpcFault }

const REFUSALS: ReadonlySet<RpcFault['kind']> = new Set(['rejected', 'missing', 'node', 'http', 'garbled'])

/** Whether a fault is about the call and not the provider, if the provider has the block. */
export function isAboutCall({ kind }: RpcFault): boolean {
  return REFUSALS.has(kind)
}

/**
 * Makes a call together with the block's header, which proves that the provider is on this block's chain. A refusal is an answer.
 *
 * @throws `RpcError` when the provider does not answer, or has another block of that number
 */
export async function callAtBlock(provider: RpcProvider, block: Pick<BlockHeader, 'number' | 'hash'>, call: RpcCall): Promise<CallAtBlock> {
  const header = blockByNumber(block.number)
  const assertSame = (raw: unknown) => {
    const { hash } = parseHeader(raw, `block ${block.number}`)
    if (hash !== block.hash) throw inconsistent(`another block ${block.number}`)
  }
  try {
    const [value, raw] = await provider.calls([call, header])
    assertSame(raw)
    return { kind: 'answer', value }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null || !isAboutCall(fault)) throw error
    assertSame(await provider.call(header))
    return { kind: 'refusal', fault }
  }
}
