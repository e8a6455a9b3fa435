import { encodeFunctionData, parseAbi } from 'viem'
import { type Address, toAddress } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import { withImage } from '#store/reads/toToken.ts'
import type { TestChain } from './chain.ts'

const TOKEN = parseAbi([
  'function updateImage(string image)',
  'function updateMetadata(string metadata)',
  'function updateAdmin(address admin)',
  'function admin() view returns (address)',
  'function imageUrl() view returns (string)',
  'function metadata() view returns (string)',
])

type Update = readonly ['updateImage' | 'updateMetadata', string] | readonly ['updateAdmin', Address]

/** Has a token's admin change it, a block each. */
export async function updateClanker(chain: TestChain, admin: Address, token: Address, updates: readonly Update[]): Promise<void> {
  for (const [functionName, value] of updates) {
    const data = encodeFunctionData({ abi: TOKEN, functionName, args: [value] })
    await chain.mined(chain.client.sendTransaction({ account: admin, chain: null, to: token, data, gas: 1_000_000n }))
  }
}

/** What the token's contract says of itself. */
export async function describedClanker({ client }: TestChain, address: Address): Promise<Pick<Token, 'admin' | 'metadataUri'>> {
  const read = (functionName: 'admin' | 'imageUrl' | 'metadata') => client.readContract({ address, abi: TOKEN, functionName })
  const [admin, image, metadata] = await Promise.all([read('admin'), read('imageUrl'), read('metadata')])
  return { admin: toAddress(admin), metadataUri: withImage(metadata === '' ? null : metadata, image === '' ? null : image) }
}
