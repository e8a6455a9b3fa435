import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'
import { compiledOnce } from './compiledOnce.ts'
import { saltForHook } from './hookAddress.ts'

export interface Artifact {
  readonly abi: Abi
  readonly bytecode: Hex
  /** Gives a hook its address (`hookAddress.ts`). */
  readonly salt?: Hex
}

const SOURCES = new URL('./contracts/', import.meta.url)
/** The development chain's own contracts. */
const OWN = [
  'LaunchToken',
  'DevDollar',
  'BondingCurve',
  'Launchpad',
  'DirectSwapper',
  'FeeLocker',
  'SniperAuction',
  'V4Hook',
  'V4Launchpad',
  'V4Locker',
  'V4Router',
] as const
/** BEFORE_SWAP and AFTER_SWAP, both with a delta of their own. */
const HOOK_PERMISSIONS = 0xccn

const UNISWAP_CORE = '@uniswap/v3-core/artifacts/contracts'
const UNISWAP_PERIPHERY = '@uniswap/v3-periphery/artifacts/contracts'
/** Compiled contracts in npm packages. */
const PACKAGED = {
  WETH9: 'canonical-weth/build/contracts/WETH9.json',
  UniswapV3Factory: `${UNISWAP_CORE}/UniswapV3Factory.sol/UniswapV3Factory.json`,
  UniswapV3Pool: `${UNISWAP_CORE}/UniswapV3Pool.sol/UniswapV3Pool.json`,
  NonfungiblePositionManager: `${UNISWAP_PERIPHERY}/NonfungiblePositionManager.sol/NonfungiblePositionManager.json`,
  PoolManager: '@uniswap/v4-core/out/PoolManager.sol/PoolManager.json',
  SwapRouter: `${UNISWAP_PERIPHERY}/SwapRouter.sol/SwapRouter.json`,
} as const

type OwnContract = (typeof OWN)[number]
export type ContractName = OwnContract | keyof typeof PACKAGED

const require = createRequire(import.meta.url)

/**
 * A contract's ABI and creation bytecode. The first call after a change of the Solidity sources compiles them, which takes 12 to 30 s of
 * processor time: too much for each `npm ci`.
 */
export function readArtifact(name: ContractName): Artifact {
  if (name in PACKAGED) return readPackaged(PACKAGED[name as keyof typeof PACKAGED])
  compiled ??= compileOwn()
  return compiled[name as OwnContract]
}

let compiled: Readonly<Record<OwnContract, Artifact>> | null = null

function readPackaged(file: string): Artifact {
  const { abi, bytecode } = JSON.parse(readFileSync(require.resolve(file), 'utf8')) as Pick<Artifact, 'abi'> & {
    readonly bytecode: Hex | { readonly object: Hex }
  }
  return { abi, bytecode: typeof bytecode === 'string' ? bytecode : bytecode.object }
}

/** The used part of the compiler's output (Solidity documentation, "Compiler Input and Output JSON Description"). */
interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }>>>
  >
}

/**
 * Compiles the contracts beside this file. The result depends only on the sources and the pinned compiler: no metadata hash is appended to
 * the bytecode.
 *
 * @throws `Error` with the compiler's message for any error or warning
 */
function compileOwn(): Readonly<Record<OwnContract, Artifact>> {
  const sources = readdirSync(SOURCES)
    .filter(file => file.endsWith('.sol'))
    .toSorted()
    .map(file => [file, { content: readFileSync(new URL(file, SOURCES), 'utf8') }])
  const input = JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(sources),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'cancun',
      viaIR: true,
      metadata: { appendCBOR: false, bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  })
  return compiledOnce([input, String(HOOK_PERMISSIONS)], () => {
    process.stdout.write('Compiling the contracts of the development chain. This is done once, and takes 10 to 30 s of a processor.\n')
    const solc = require('solc') as { compile(input: string): unknown }
    const { errors = [], contracts = {} } = JSON.parse(String(solc.compile(input))) as CompilerOutput
    const complaints = errors.filter(({ severity }) => severity !== 'info')
    if (complaints.length > 0) throw new Error(complaints.map(({ formattedMessage }) => formattedMessage).join('\n'))
    const byName = Object.assign({}, ...Object.values(contracts)) as NonNullable<CompilerOutput['contracts']>[string]
    return Object.fromEntries(OWN.map(name => [name, artifactOf(name, byName[name])])) as Record<OwnContract, Artifact>
  })
}

function artifactOf(name: OwnContract, contract: NonNullable<CompilerOutput['contracts']>[string][string] | undefined): Artifact {
  if (contract === undefined) throw new Error(`the compiler returned no ${name}`)
  const bytecode: Hex = `0x${contract.evm.bytecode.object}`
  // Found here once, so that no start looks for it.
  return { abi: contract.abi, bytecode, ...(name === 'V4Hook' && { salt: saltForHook(bytecode, HOOK_PERMISSIONS) }) }
}

if (process.argv[1] === import.meta.filename) readArtifact('Launchpad')
