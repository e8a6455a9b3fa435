import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'
import { compiledOnce } from '#devchain/compiledOnce.ts'

interface Compiler {
  compile(input: string, callbacks?: { import(name: string): { readonly contents: string } }): unknown
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }>>>
  >
}

/** Contracts by name. */
export type Contracts = ReadonlyMap<string, Contract>

interface Contract {
  readonly abi: Abi
  readonly bytecode: Hex
}

const DEVCHAIN = new URL('../../src/devchain/contracts/', import.meta.url)

/**
 * Compiles a file of contracts for tests, once for all runs. It may import contracts of its folder and of the development chain.
 *
 * @param options.viaIR for functions with more variables than the stack holds; compiling takes longer
 * @returns its own contracts and the imported ones
 * @throws `Error` with the compiler's message
 */
export function compileSolidity(file: URL, { viaIR = false }: { readonly viaIR?: boolean } = {}): Contracts {
  const input = {
    language: 'Solidity',
    sources: { 'test.sol': { content: readFileSync(file, 'utf8') } },
    settings: {
      // With both, compiling takes twice as long.
      optimizer: { enabled: !viaIR, runs: 200 },
      viaIR,
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const findImport = (name: string) => {
    const beside = new URL(name, file)
    return { contents: readFileSync(existsSync(beside) ? beside : new URL(name, DEVCHAIN), 'utf8') }
  }
  const compile = (): readonly (readonly [string, Contract])[] => {
    // Loading it takes longer than reading what it has compiled before.
    const solc = createRequire(import.meta.url)('solc') as Compiler
    const output = JSON.parse(String(solc.compile(JSON.stringify(input), { import: findImport }))) as CompilerOutput
    const complaints = (output.errors ?? []).filter(error => error.severity === 'error')
    if (complaints.length > 0) throw new Error(complaints.map(error => error.formattedMessage).join('\n'))
    const contracts = Object.values(output.contracts ?? {}).flatMap(byName => Object.entries(byName))
    return contracts.map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }])
  }
  return new Map(compiledOnce([JSON.stringify(input), ...sourcesIn(new URL('.', file)), ...sourcesIn(DEVCHAIN)], compile))
}

/** The texts of a folder's contracts: any of them may be imported. */
export function sourcesIn(folder: URL): readonly string[] {
  const names = readdirSync(folder).filter(name => name.endsWith('.sol'))
  return names.toSorted().map(name => `${name}\n${readFileSync(new URL(name, folder), 'utf8')}`)
}
