import type { ChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { RpcError } from '#rpc/rpcFault.ts'

/**
 * Makes sure that the block with which an index begins is of the database's chain. Every later block is tied to the one before it; the first
 * one is tied to nothing that is indexed, so a second answer has to show it, beside the first block of the chain.
 *
 * @param genesisHash `null`: nobody knows it, and the second answer is all
 * @throws `RpcError` `inconsistent`
 */
export async function confirmFirst(
  source: Pick<ChainSource, 'headers'>,
  { number, hash }: Pick<BlockHeader, 'number' | 'hash'>,
  genesisHash: Hex | null,
): Promise<void> {
  // One question, so that both are what one provider shows at one time.
  const [genesis, shown] = await source.headers([0, number])
  const foreign = genesisHash !== null && genesis?.hash !== genesisHash
  if (foreign) throw new RpcError({ kind: 'inconsistent', what: 'a chain with another first block' })
  if (shown?.hash !== hash) throw new RpcError({ kind: 'inconsistent', what: `two answers to what block ${number} is` })
}
