import path from 'node:path'
import { anyText, createSettingReader, type Environment, wholeNumber } from '#configuration/settings.ts'
import { TokenwireError } from '#errors'

/** Settings of `npm run dev`, besides the service's own. */
export interface DevSettings {
  readonly seed: number
  readonly blockTimeMs: number
  readonly tradesPerBlock: number
  /** 0: any free port. */
  readonly rpcPort: number
  /** Absolute path. The service's data is in a folder below it. */
  readonly dataDir: string
  /** Whether `DATABASE_URL` is set; that database is never emptied. */
  readonly ownDatabase: boolean
}

/**
 * Reads the variables of the development chain.
 *
 * @throws `TokenwireError` `config_invalid`; its message lists all problems
 */
export function readDevSettings(environment: Environment, cwd: string): DevSettings {
  const reader = createSettingReader(environment)
  const settings: DevSettings = {
    seed: reader.optional('DEV_SEED', wholeNumber(0, Number.MAX_SAFE_INTEGER), 1),
    blockTimeMs: reader.optional('DEV_BLOCK_TIME_MS', wholeNumber(50, 600_000), 1_000),
    tradesPerBlock: reader.optional('DEV_TRADES_PER_BLOCK', wholeNumber(0, 500), 4),
    rpcPort: reader.optional('DEV_RPC_PORT', wholeNumber(0, 65_535), 0),
    dataDir: path.resolve(cwd, reader.optional('DATA_DIR', anyText, './.data')),
    ownDatabase: (environment['DATABASE_URL']?.trim() ?? '') !== '',
  }
  if (reader.problems.length === 0) return settings
  throw new TokenwireError(
    'config_invalid',
    `The development chain cannot start.\n${reader.problems.map(line => `  ${line}`).join('\n')}`,
    {
      details: { problems: reader.problems },
    },
  )
}
