import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { type Hex, hexToBytes, toHex } from 'viem'
import type { DevClient } from '#devchain/client.ts'
import { DEPLOYMENT_ABIS, type Deployment } from '#devchain/deploy.ts'

/** A whole chain as anvil dumps it, and the contracts on it. */
export interface StoredChain {
  readonly deployment: Omit<Deployment, 'abis'>
  readonly state: { readonly transactions: readonly { readonly info: object }[] }
}

/** Its bytes for a file. */
export async function storeChain(client: DevClient, { abis: _, ...deployment }: Deployment): Promise<Buffer> {
  const dumped = await client.request({ method: 'anvil_dumpState', params: [] } as never)
  const { transactions, ...state } = JSON.parse(gunzipSync(hexToBytes(dumped)).toString()) as StoredChain['state']
  // They are most of it, and no request asks for them.
  const untraced = transactions.map(({ info, ...transaction }) => ({ ...transaction, info: { ...info, traces: [] } }))
  return brotliCompressSync(JSON.stringify({ deployment, state: { ...state, transactions: untraced } } satisfies StoredChain))
}

export function readStoredChain(bytes: Buffer): StoredChain {
  return JSON.parse(brotliDecompressSync(bytes).toString()) as StoredChain
}

/** Gives a new anvil the blocks of a stored chain. */
export async function loadChain(client: DevClient, { deployment, state }: StoredChain): Promise<Deployment> {
  const packed: Hex = toHex(gzipSync(JSON.stringify(state)))
  await client.request({ method: 'anvil_loadState', params: [packed] } as never)
  return { ...deployment, abis: DEPLOYMENT_ABIS }
}
