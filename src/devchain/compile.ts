import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import solc from 'solc'
import type { Hex } from 'viem'
import { saltForHook } from './hookAddress.ts'

const DIRECTORY = new URL('./contracts/', import.meta.url)
const SOURCES = [
  'interfaces',
  'LaunchToken',
  'BondingCurve',
  'Launchpad',
  'DirectSwapper',
  'v4',
  'V4Hook',
  'SniperAuction',
  'V4Launchpad',
  'V4Router',
]
/** Each contract with its source file. */
const ARTIFACTS = {
  LaunchToken: 'LaunchToken',
  DevDollar: 'LaunchToken',
  BondingCurve: 'BondingCurve',
  Launchpad: 'Launchpad',
  DirectSwapper: 'DirectSwapper',
  FeeLocker: 'SniperAuction',
  SniperAuction: 'SniperAuction',
  V4Hook: 'V4Hook',
  V4Launchpad: 'V4Launchpad',
  V4Locker: 'V4Launchpad',
  V4Router: 'V4Router',
} as const
/** BEFORE_SWAP and AFTER_SWAP, both with a delta of their own. */
const HOOK_PERMISSIONS = 0xccn

/** The used part of the compiler's output (Solidity documentation, "Compiler Input and Output JSON Description"). */
interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, { readonly abi: unknown; readonly evm: { readonly bytecode: { readonly object: string } } }>>>
  >
}

/**
 * Compiles the contracts beside this file.
 *
 * The result depends only on the sources and the pinned compiler: no metadata hash is appended to the bytecode.
 *
 * @returns the text of each artifact by file name
 * @throws `Error` with the compiler's message for any error or warning
 */
export function compileContracts(): ReadonlyMap<string, string> {
  const sources = Object.fromEntries(
    SOURCES.map(name => [`${name}.sol`, { content: readFileSync(new URL(`${name}.sol`, DIRECTORY), 'utf8') }]),
  )
  const input = {
    language: 'Solidity',
    sources,
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'cancun',
      viaIR: true,
      metadata: { appendCBOR: false, bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(String(solc.compile(JSON.stringify(input)))) as CompilerOutput
  const complaints = (output.errors ?? []).filter(error => error.severity !== 'info')
  if (complaints.length > 0) throw new Error(complaints.map(error => error.formattedMessage).join('\n'))
  return new Map(Object.entries(ARTIFACTS).map(([name, file]) => [`${name}.artifact.json`, artifactOf(name, file, output)]))
}

/** The URL of a checked-in artifact. */
export function artifactUrl(file: string): URL {
  return new URL(file, DIRECTORY)
}

function artifactOf(name: string, file: string, output: CompilerOutput): string {
  const contract = output.contracts?.[`${file}.sol`]?.[name]
  if (contract === undefined) throw new Error(`the compiler returned no ${name}`)
  const bytecode: Hex = `0x${contract.evm.bytecode.object}`
  const artifact = {
    contractName: name,
    compiler: String(solc.version()),
    abi: contract.abi,
    bytecode,
    // Found here once, so that no start looks for it.
    ...(name === 'V4Hook' && { salt: saltForHook(bytecode, HOOK_PERMISSIONS) }),
  }
  return `${JSON.stringify(artifact, null, 2)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of compileContracts()) {
    writeFileSync(artifactUrl(file), text)
    console.log(`wrote ${file}`)
  }
}
