import type { Hex } from '#domain/address.ts'
import { inconsistent } from '#rpc/rpcFault.ts'
import type { ChainSource } from './chainSource.ts'

/**
 * The hash of the chain's first block, by which a database knows its chain for ever. Nothing else tells whether it is true, so it is asked
 * for twice: one garbled answer must not mark a database as another chain's.
 *
 * @throws `RpcError`, `inconsistent` when the answers differ
 */
export async function readGenesisHash(source: Pick<ChainSource, 'header'>): Promise<Hex> {
  const { hash } = await source.header(0)
  const again = await source.header(0)
  if (hash !== again.hash) throw inconsistent('two answers to what the first block is')
  return hash
}
