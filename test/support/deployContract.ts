import { encodeDeployData } from 'viem'
import { type Address, toAddress } from '#domain/address.ts'
import type { TestChain } from './chain.ts'
import type { Contracts } from './compileSolidity.ts'

/** Deploys one of the contracts from the chain's first account and mines. */
export async function deployContract(
  chain: TestChain,
  contracts: Contracts,
  name: string,
  args: readonly unknown[] = [],
): Promise<Address> {
  const contract = contracts.get(name)
  const [account] = chain.accounts
  if (contract === undefined || account === undefined) throw new TypeError(`no contract ${name}, or no account`)
  const data = encodeDeployData({ ...contract, args })
  const { contractAddress } = await chain.mined(chain.client.sendTransaction({ account, chain: null, data, gas: 20_000_000n }))
  return toAddress(String(contractAddress))
}
