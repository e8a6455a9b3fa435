import type { ChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { inconsistent, missing } from '#rpc/rpcFault.ts'

/**
 * The block with which the index begins, from an answer that shows the chain's first block as well. Later blocks are tied to the one before
 * them by its hash; this one is tied to nothing indexed, so two answers have to agree on it.
 *
 * @param genesisHash the hash of block 0, by which the database knows its chain
 * @throws `RpcError` `inconsistent` when the chain has another first block; `missing`
 */
export async function verifyStartBlock(source: Pick<ChainSource, 'headers'>, number: number, genesisHash: Hex): Promise<BlockHeader> {
  // One request, so that both are what one provider shows at one time.
  const [genesis, block] = await source.headers([0, number])
  if (genesis?.hash !== genesisHash) throw inconsistent('a chain with another first block')
  if (block === undefined) throw missing(`block ${number}`)
  return block
}

/**
 * Asks a second time for the confirmed block of a tip. The tip bounds the ranges, whose blocks can't be undone: with the tip of a provider
 * on another chain, ranges could go too far.
 *
 * @throws `RpcError` `inconsistent` when the answer is another block
 */
export async function verifyConfirmedBlock(source: Pick<ChainSource, 'header'>, { number, hash }: BlockHeader): Promise<void> {
  const shown = await source.header(number)
  if (shown.hash !== hash) throw inconsistent(`another block ${number} than the tip's`)
}

/**
 * The hash of the chain's first block, by which a database identifies its chain. Nothing else shows whether it is true, so it is asked
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
