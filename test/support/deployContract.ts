import { createRequire } from 'node:module'
import { type Abi, encodeDeployData, type Hex } from 'viem'
import { type Address, toAddress } from '#domain/address.ts'
import type { TestChain } from './chain.ts'

interface Contract {
  readonly abi: Abi
  readonly bytecode: Hex
}

const DEPLOY_GAS = 20_000_000n

/** Deploys a contract from the chain's first account, in its own block. */
export async function deployContract(chain: TestChain, contract: Contract | undefined, args: readonly unknown[]): Promise<Address> {
  const account = chain.accounts[0]
  if (contract === undefined || account === undefined) throw new Error('no contract to deploy, or no account to deploy it')
  const data = encodeDeployData({ ...contract, args })
  const { contractAddress } = await chain.mined(chain.client.sendTransaction({ account, chain: null, data, gas: DEPLOY_GAS }))
  return toAddress(String(contractAddress))
}

/** Deploys Uniswap's own v2 factory, whose pairs have Uniswap's own bytecode. */
export function deployUniswapV2(chain: TestChain): Promise<Address> {
  const { abi, bytecode } = createRequire(import.meta.url)('@uniswap/v2-core/build/UniswapV2Factory.json') as { abi: Abi; bytecode: string }
  return deployContract(chain, { abi, bytecode: `0x${bytecode}` }, [chain.accounts[0]])
}
