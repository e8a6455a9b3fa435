import { existsSync, readFileSync } from 'node:fs'
import solc from 'solc'
import type { Abi, Hex } from 'viem'

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }>>>
  >
}

/** Contracts by name. */
export type Contracts = ReadonlyMap<string, { readonly abi: Abi; readonly bytecode: Hex }>

const DEVCHAIN = new URL('../../src/devchain/contracts/', import.meta.url)

/**
 * Compiles a file of contracts for tests, in about a second. It may import contracts of its folder and of the development chain.
 *
 * @param options.viaIR for functions with more variables than the stack holds; without it compiling takes a third of the time
 * @returns its own contracts and the imported ones
 * @throws `Error` with the compiler's message
 */
export function compileSolidity(file: URL, { viaIR = true }: { readonly viaIR?: boolean } = {}): Contracts {
  const input = {
    language: 'Solidity',
    sources: { 'test.sol': { content: readFileSync(file, 'utf8') } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      viaIR,
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const findImport = (name: string) => {
    const beside = new URL(name, file)
    return { contents: readFileSync(existsSync(beside) ? beside : new URL(name, DEVCHAIN), 'utf8') }
  }
  const output = JSON.parse(String(solc.compile(JSON.stringify(input), { import: findImport }))) as CompilerOutput
  const complaints = (output.errors ?? []).filter(error => error.severity === 'error')
  if (complaints.length > 0) throw new Error(complaints.map(error => error.formattedMessage).join('\n'))
  const contracts = Object.values(output.contracts ?? {}).flatMap(byName => Object.entries(byName))
  return new Map(contracts.map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }]))
}
