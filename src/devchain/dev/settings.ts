import path from 'node:path'
import { takenByNpm } from '#configuration/environment.ts'
import { DATABASE_SETTINGS, SETTINGS } from '#configuration/settings.ts'
import { type Environment, parseSettings, wholeNumber } from '#configuration/settingTypes.ts'
import { TokenwireError } from '#errors'

/** The settings of `npm run dev`, besides those of the service. */
export const DEV_SETTINGS = {
  DEV_SEED: wholeNumber(0, Number.MAX_SAFE_INTEGER).default(1).describe('npm run dev: the same seed gives the same market.'),
  DEV_BLOCK_TIME_MS: wholeNumber(50, 600_000).default(1_000).describe('npm run dev: milliseconds per block.'),
  DEV_TRADES_PER_BLOCK: wholeNumber(0, 500).default(4).describe('npm run dev: trades per block.'),
  DEV_HISTORY_BLOCKS: wholeNumber(60, 10_000).default(240).describe('npm run dev: blocks of the simulated past day; fewer start sooner.'),
  DEV_RPC_PORT: wholeNumber(0, 65_535).default(0).describe("npm run dev: the port of the chain's RPC; 0: any free one."),
}

/** The embedded database has connections for these. */
const MAX_GATEWAYS = 3

export interface DevSettings {
  readonly seed: number
  readonly blockTimeMs: number
  readonly tradesPerBlock: number
  readonly historyBlocks: number
  readonly rpcPort: number
  /** Absolute path. The service's data is in a folder below it. */
  readonly dataDir: string
  /** Whether `DATABASE_URL` is set; that database is never emptied. */
  readonly ownDatabase: boolean
  /** Where the service is to listen; 0: any free port. */
  readonly host: string
  readonly port: number
  /** Number of gateways that serve what a separate indexer writes; 0: one process does everything. */
  readonly gateways: number
}

/**
 * Reads the variables and arguments of the development chain.
 *
 * @throws `TokenwireError` `config_invalid`; its message lists all problems
 */
export function readDevSettings(environment: Environment, cwd: string, args: readonly string[] = []): DevSettings {
  const { DATA_DIR } = DATABASE_SETTINGS
  const { HOST, PORT } = SETTINGS
  const { values, problems: wrongSettings } = parseSettings({ ...DEV_SETTINGS, DATA_DIR, HOST, PORT }, environment)
  const taken = takenByNpm(['gateways'], 'npm run dev -- --gateways 2', { args, env: environment })
  if (taken !== null) throw new TokenwireError('config_invalid', taken)
  const gateways = readGateways(args)
  const problems = [
    ...wrongSettings,
    ...(gateways === null ? [`--gateways: expected --gateways and a whole number from 0 to ${MAX_GATEWAYS}, got ${args.join(' ')}`] : []),
  ]
  if (problems.length > 0) {
    const message = `The development chain cannot start.\n${problems.map(line => `  ${line}`).join('\n')}`
    throw new TokenwireError('config_invalid', message, { details: { problems } })
  }
  return {
    seed: values.devSeed,
    blockTimeMs: values.devBlockTimeMs,
    tradesPerBlock: values.devTradesPerBlock,
    historyBlocks: values.devHistoryBlocks,
    rpcPort: values.devRpcPort,
    dataDir: path.resolve(cwd, values.dataDir),
    ownDatabase: (environment['DATABASE_URL']?.trim() ?? '') !== '',
    host: values.host,
    port: values.port,
    gateways: gateways ?? 0,
  }
}

/** `--gateways 2`; nothing else is understood. `null`: it is wrong. */
function readGateways(args: readonly string[]): number | null {
  if (args.length === 0) return 0
  const text = /^--gateways[ =](\d{1,3})$/.exec(args.join(' '))?.[1]
  return text === undefined || Number(text) > MAX_GATEWAYS ? null : Number(text)
}
