import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Config, Confirmations, LaunchpadsConfig } from '#config'
import { ZERO_ADDRESS } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import { allowedOrigins, databaseUrl, gatewayUrls, listenHost, pathPrefix, providerUrl, publicUrl, rpcUrls } from './addresses.ts'
import { type ReadFile, readEnvironment, readIfPresent } from './environment.ts'
import { type KnownAdapters, parseLaunchpads } from './launchpads.ts'
import {
  accept,
  anyText,
  createSettingReader,
  type Environment,
  flag,
  oneOf,
  refuse,
  type Setting,
  type SettingReader,
  secretWord,
  wholeNumber,
} from './settings.ts'
import { readTls } from './tls.ts'

export interface LoadConfigOptions {
  /** Where `.env` is looked for and what relative paths are relative to. */
  readonly cwd: string
  readonly knownAdapters: KnownAdapters
  /** Default: `readFileSync` as UTF-8. */
  readonly readFile?: ReadFile
  /** Whether a person reads the log, for the default of `LOG_FORMAT`. Default: whether standard output is a terminal. */
  readonly isTerminal?: boolean
}

/** Where the database is: all that migrating needs. */
export type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDir' | 'log'>

const MANY = 1_000_000_000
const MOST_CONFIRMATIONS = 10_000
/** Below the blocks that the database remembers (`KEPT_BLOCKS`). */
const MOST_REORG_DEPTH = 4_000
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

const confirmations: Setting<Confirmations> = {
  expected: `a number of blocks from 0 to ${MOST_CONFIRMATIONS}, safe or finalized`,
  parse: text => {
    const word = text.toLowerCase()
    if (word === 'safe' || word === 'finalized') return accept(word)
    const depth = wholeNumber(0, MOST_CONFIRMATIONS).parse(text)
    return depth.ok ? depth : refuse()
  },
}

/**
 * Reads and checks everything that `npm start` can be told, with relative paths made absolute.
 *
 * @returns the configuration, frozen all the way down
 * @throws `TokenwireError` `config_invalid`; its message lists everything that is wrong, and repeats no credential
 */
export function loadConfig(env: Environment, options: LoadConfigOptions): Config {
  const readFile = options.readFile ?? (file => readFileSync(file, 'utf8'))
  const environment = readEnvironment(env, options.cwd, readFile)
  const reader = createSettingReader(environment)
  const launchpadsFile = reader.optional('LAUNCHPADS_FILE', anyText, './launchpads.json')
  const config: Config = {
    rpcUrls: reader.required('RPC_URLS', rpcUrls, []),
    chainId: reader.optional('CHAIN_ID', wholeNumber(1, Number.MAX_SAFE_INTEGER), null),
    launchpadsFile: path.resolve(options.cwd, launchpadsFile),
    launchpads: readLaunchpads(reader, launchpadsFile, options.knownAdapters, options.cwd, readFile),
    confirmations: reader.optional('CONFIRMATIONS', confirmations, 3),
    maxReorgDepth: reader.optional('MAX_REORG_DEPTH', wholeNumber(0, MOST_REORG_DEPTH), 128),
    claimableRefreshBlocks: reader.optional('CLAIMABLE_REFRESH_BLOCKS', wholeNumber(0, MANY), 10),
    ...readDatabase(reader, options),
    ...readGateway(reader),
    tls: readTls(reader, options.cwd, readFile),
    coingecko: {
      url: reader.optional('COINGECKO_URL', providerUrl, 'https://api.coingecko.com'),
      apiKey: reader.optional('COINGECKO_API_KEY', secretWord, null),
    },
    coinbase: { url: reader.optional('COINBASE_URL', providerUrl, 'https://api.coinbase.com') },
    metadata: {
      fetch: reader.optional('METADATA_FETCH', flag, true),
      allowHttp: reader.optional('METADATA_ALLOW_HTTP', flag, false),
      gateways: {
        ipfs: reader.optional('IPFS_GATEWAYS', gatewayUrls, ['https://ipfs.io', 'https://dweb.link']),
        arweave: reader.optional('ARWEAVE_GATEWAYS', gatewayUrls, ['https://arweave.net']),
      },
    },
  }
  return finish(config, reader, isBlank(environment['RPC_URLS']))
}

/**
 * Reads what migrating needs and nothing else.
 *
 * @throws `TokenwireError` `config_invalid` as `loadConfig`
 */
export function loadDatabaseConfig(env: Environment, options: Omit<LoadConfigOptions, 'knownAdapters'>): DatabaseConfig {
  const readFile = options.readFile ?? (file => readFileSync(file, 'utf8'))
  const reader = createSettingReader(readEnvironment(env, options.cwd, readFile))
  return finish(readDatabase(reader, options), reader, false)
}

function readDatabase(reader: SettingReader, options: Omit<LoadConfigOptions, 'knownAdapters'>): DatabaseConfig {
  const onTerminal = options.isTerminal ?? process.stdout.isTTY
  return {
    databaseUrl: reader.optional('DATABASE_URL', databaseUrl, null),
    dataDir: path.resolve(options.cwd, reader.optional('DATA_DIR', anyText, './.data')),
    log: {
      level: reader.optional('LOG_LEVEL', oneOf(LOG_LEVELS), 'info'),
      format: reader.optional('LOG_FORMAT', oneOf(['json', 'pretty']), onTerminal ? 'pretty' : 'json'),
    },
  }
}

function readGateway(reader: SettingReader) {
  return {
    host: reader.optional('HOST', listenHost, '127.0.0.1'),
    port: reader.optional('PORT', wholeNumber(0, 65_535), 3000),
    allowedOrigins: reader.optional('ALLOWED_ORIGINS', allowedOrigins, ['http://localhost:*', 'http://127.0.0.1:*']),
    requireOrigin: reader.optional('REQUIRE_ORIGIN', flag, false),
    trustProxy: reader.optional('TRUST_PROXY', wholeNumber(0, 100), 0),
    pathPrefix: reader.optional('PATH_PREFIX', pathPrefix, ''),
    explorerUrl: reader.optional('EXPLORER_URL', publicUrl, null),
    operatorToken: reader.optional('OPERATOR_TOKEN', secretWord, null),
    operatorLoopbackOpen: reader.optional('OPERATOR_LOOPBACK_OPEN', flag, false),
    rateLimitPerMinute: reader.optional('RATE_LIMIT_PER_MINUTE', wholeNumber(0, MANY), 600),
    maxConnections: reader.optional('MAX_CONNECTIONS', wholeNumber(1, MANY), 50_000),
    maxConnectionsPerIp: reader.optional('MAX_CONNECTIONS_PER_IP', wholeNumber(1, MANY), 100),
    maxSubscriptionsPerConnection: reader.optional('MAX_SUBSCRIPTIONS_PER_CONNECTION', wholeNumber(1, MANY), 200),
    maxMessagesPerSecond: reader.optional('MAX_MESSAGES_PER_SECOND', wholeNumber(1, MANY), 50),
  }
}

function readLaunchpads(reader: SettingReader, file: string, known: KnownAdapters, cwd: string, readFile: ReadFile): LaunchpadsConfig {
  const none: LaunchpadsConfig = { weth: ZERO_ADDRESS, launchpads: [] }
  const shown = path.normalize(file)
  const read = readIfPresent(path.resolve(cwd, file), readFile)
  if ('problem' in read || read.text === null) {
    const because = 'problem' in read ? read.problem : 'it does not exist'
    reader.refuse(
      `LAUNCHPADS_FILE: expected a file that says what to index at ${shown}, but ${because} (docs/launchpads.example.json is one)`,
    )
    return none
  }
  const parsed = parseLaunchpads(read.text, known)
  if (parsed.ok) return parsed.value
  for (const problem of parsed.problems) reader.refuse(`${shown}: ${problem}`)
  return none
}

function finish<T extends object>(config: T, reader: SettingReader, withoutChain: boolean): T {
  const { problems } = reader
  if (problems.length === 0) return freeze(config)
  const hint = withoutChain ? '\nTo see Tokenwire at work without a chain and a database of your own: npm run dev' : ''
  throw new TokenwireError('config_invalid', `Tokenwire cannot start.${problems.map(one => `\n  ${one}`).join('')}${hint}`, {
    details: { problems },
  })
}

const isBlank = (text: string | undefined) => text === undefined || text.trim() === ''

function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freeze(part)
  return Object.freeze(value)
}
