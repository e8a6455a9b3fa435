import { readFileSync } from 'node:fs'
import solc from 'solc'
import { encodeDeployData, type Hex } from 'viem'
import { type Address, toAddress } from '#domain/address.ts'
import type { TestChain } from './chain.ts'

const FOLDERS = [new URL('./contracts/', import.meta.url), new URL('../../src/devchain/contracts/', import.meta.url)]

/** Creation code by contract name. */
export type Compiled = Readonly<Record<string, Hex>>

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>>
  >
}

/** Compiles a file of `test/support/contracts`, which may import those of the development chain. @throws `Error` in the compiler's words */
export function compileSolidity(file: string): Compiled {
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readSource(file) } },
    settings: {
      evmVersion: 'cancun',
      viaIR: true,
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  }
  const findImport = (name: string) => ({ contents: readSource(name) })
  const output = JSON.parse(String(solc.compile(JSON.stringify(input), { import: findImport }))) as CompilerOutput
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const contracts = Object.values(output.contracts ?? {}).flatMap(byName => Object.entries(byName))
  return Object.fromEntries(contracts.map(([name, { evm }]): [string, Hex] => [name, `0x${evm.bytecode.object}`]))
}

/** Deploys creation code from the chain's first account and mines. */
export async function deployCode(
  chain: TestChain,
  bytecode: Hex | undefined,
  types: readonly string[],
  args: readonly unknown[],
): Promise<Address> {
  if (bytecode === undefined) throw new TypeError('no such contract')
  const inputs = types.map(type => ({ type, name: '' }))
  const data = encodeDeployData({ abi: [{ type: 'constructor', inputs, stateMutability: 'nonpayable' }], bytecode, args: [...args] })
  const [account] = chain.accounts
  if (account === undefined) throw new TypeError('no account')
  const { contractAddress } = await chain.mined(chain.client.sendTransaction({ account, chain: null, data, gas: 12_000_000n }))
  return toAddress(String(contractAddress))
}

function readSource(name: string): string {
  const base = name.replace(/^\.\//, '')
  for (const folder of FOLDERS) {
    try {
      return readFileSync(new URL(base, folder), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new Error(`no source ${name}`)
}
