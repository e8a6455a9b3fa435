import path from 'node:path'
import process from 'node:process'
import { createSecureContext } from 'node:tls'
import type { Config, LaunchpadsConfig } from '#config'
import { ZERO_ADDRESS } from '#domain/address.ts'
import { withSchema } from '#domain/databaseUrl.ts'
import { TokenwireError } from '#errors'
import { readApiKeys } from './apiKeys.ts'
import { type FileReading, findIdleVariables, type ReadFile, readEnvironment, readIfPresent, readUtf8 } from './environment.ts'
import { type KnownAdapters, parseLaunchpads } from './launchpads.ts'
import { DATABASE_SETTINGS, SETTINGS } from './settings.ts'
import { type CamelCased, type Environment, parseSettings } from './settingTypes.ts'
import { readWebhooksFile } from './webhooks.ts'

export interface LoadDatabaseConfigOptions {
  /** The folder of `.env` and of relative paths. */
  readonly cwd: string
  /** Default: `readFileSync` as UTF-8. */
  readonly readFile?: ReadFile
  /** Whether a person reads the log: the default of `LOG_FORMAT`. Default: whether standard output is a terminal. */
  readonly isTerminal?: boolean
}

export interface LoadConfigOptions extends LoadDatabaseConfigOptions {
  readonly knownAdapters: KnownAdapters
}

/** A gateway reads the chain and the launchpads from the database. */
const GATEWAY_SETTINGS = { ...SETTINGS, RPC_URLS: SETTINGS.RPC_URLS.default([]) }
const NO_LAUNCHPADS: LaunchpadsConfig = { weth: ZERO_ADDRESS, launchpads: [] }

export type DatabaseConfig = Pick<Config, 'databaseUrl' | 'schema' | 'dataDir' | 'logLevel' | 'logFormat'>

/**
 * Reads and checks all settings of `npm start`, with relative paths made absolute.
 *
 * @returns the configuration, deeply frozen
 * @throws `TokenwireError` `config_invalid`; its message lists everything that is wrong and repeats no credential
 */
export function loadConfig(env: Environment, options: LoadConfigOptions): Config {
  const { cwd, knownAdapters, readFile = readUtf8 } = options
  const environment = readEnvironment(env, cwd, readFile)
  const isGateway = environment['ROLE']?.trim().toLowerCase() === 'gateway'
  const { values, problems: wrongSettings } = parseSettings(isGateway ? GATEWAY_SETTINGS : SETTINGS, environment)
  const problems = [...wrongSettings, ...contradictionsOf(values, wrongSettings)]
  const files: FileReading = { cwd, readFile, problems }
  const { tlsCertFile, tlsKeyFile, natsUrl, natsCredsFile, ...settings } = values
  const config: Config = {
    ...settings,
    ...databaseConfig(values, options),
    databaseReadUrl: values.databaseReadUrl === null ? null : withSchema(values.databaseReadUrl, values.schema),
    apiKeysFile: values.apiKeysFile === null ? null : path.resolve(cwd, values.apiKeysFile),
    apiKeys: readKeys(values.apiKeysFile, files),
    webhooksFile: values.webhooksFile === null ? null : path.resolve(cwd, values.webhooksFile),
    webhooks: isGateway ? [] : readWebhooks(values, files),
    launchpadsFile: path.resolve(cwd, values.launchpadsFile),
    launchpads: isGateway ? NO_LAUNCHPADS : readLaunchpads(values.launchpadsFile, knownAdapters, files),
    nats: readNats(natsUrl, natsCredsFile, files),
    tls: readTls(tlsCertFile, tlsKeyFile, files),
  }
  if (problems.length > 0) problems.push(...findIdleVariables(env, options))
  const isWithoutChain = !isGateway && (environment['RPC_URLS']?.trim() ?? '') === ''
  const hint = isWithoutChain ? '\nTo see Tokenwire at work without a chain and a database of your own: npm run dev' : ''
  return finish(config, problems, hint)
}

function readNats(urls: readonly string[], file: string | null, { cwd, readFile, problems }: FileReading): Config['nats'] {
  if (urls.length === 0) {
    if (file !== null) problems.push('NATS_CREDS_FILE: is for NATS_URL, which is not set')
    return null
  }
  if (file === null) return { urls, credsFile: null }
  const credsFile = path.resolve(cwd, file)
  const read = readIfPresent(credsFile, readFile)
  if (read.kind !== 'text') problems.push(`NATS_CREDS_FILE: expected a file that can be read, but ${read.problem}`)
  return { urls, credsFile }
}

/** Settings that do not go together, though each of them is right. */
function contradictionsOf(
  {
    role,
    standby,
    databaseUrl,
    databaseReadUrl,
    gateways,
  }: Pick<Config, 'role' | 'standby' | 'databaseUrl' | 'databaseReadUrl' | 'gateways'>,
  wrongSettings: readonly string[],
): readonly string[] {
  const isGateway = role === 'gateway'
  const problems: string[] = []
  if (isGateway && databaseUrl === null && !wrongSettings.some(problem => problem.startsWith('DATABASE_URL:')))
    problems.push('DATABASE_URL: missing, expected the database that the indexer of this gateway (ROLE=gateway) writes')
  if (!isGateway && databaseReadUrl !== null)
    problems.push('DATABASE_READ_URL: is for gateways (ROLE=gateway); a process that indexes reads what it has written')
  if (standby && isGateway)
    problems.push('STANDBY: a gateway (ROLE=gateway) never indexes; leave STANDBY blank, or set ROLE to indexer or all')
  else if (standby && databaseUrl === null)
    problems.push('STANDBY: needs a DATABASE_URL, since the embedded database ends with the process that indexes')
  if (role === 'indexer' && gateways > 0) problems.push('GATEWAYS: an indexer (ROLE=indexer) serves no clients; set ROLE to all or gateway')
  return problems
}

/** Reads what migrating the database needs. @throws `TokenwireError` `config_invalid` as `loadConfig` */
export function loadDatabaseConfig(env: Environment, options: LoadDatabaseConfigOptions): DatabaseConfig {
  const { values, problems } = parseSettings(DATABASE_SETTINGS, readEnvironment(env, options.cwd, options.readFile ?? readUtf8))
  return finish(databaseConfig(values, options), problems)
}

/** `DATABASE_READ_URL`, which commands that only read use where it is given. @throws as `loadConfig` */
export function loadReadUrl(env: Environment, { cwd, readFile = readUtf8 }: LoadDatabaseConfigOptions): string | null {
  const { SCHEMA } = DATABASE_SETTINGS
  const { values, problems } = parseSettings({ DATABASE_READ_URL: SETTINGS.DATABASE_READ_URL, SCHEMA }, readEnvironment(env, cwd, readFile))
  const { databaseReadUrl: url } = finish(values, problems)
  return url === null ? null : withSchema(url, values.schema)
}

export type WebhooksConfig = DatabaseConfig & Pick<Config, 'webhooks' | 'webhooksAllowPrivate'>

const { WEBHOOKS_FILE, WEBHOOKS_ALLOW_PRIVATE } = SETTINGS

/** Reads the webhooks and the settings of the database. @throws `TokenwireError` `config_invalid` as `loadConfig` */
export function loadWebhooksConfig(env: Environment, options: LoadDatabaseConfigOptions): WebhooksConfig {
  const { cwd, readFile = readUtf8 } = options
  const settings = { ...DATABASE_SETTINGS, WEBHOOKS_FILE, WEBHOOKS_ALLOW_PRIVATE }
  const { values, problems: wrong } = parseSettings(settings, readEnvironment(env, cwd, readFile))
  const problems = [...wrong]
  const webhooks = readWebhooks(values, { cwd, readFile, problems })
  return finish({ ...databaseConfig(values, options), webhooks, webhooksAllowPrivate: values.webhooksAllowPrivate }, problems)
}

function databaseConfig(
  { databaseUrl, schema, dataDir, logLevel, logFormat }: CamelCased<typeof DATABASE_SETTINGS>,
  { cwd, isTerminal = process.stdout.isTTY }: LoadDatabaseConfigOptions,
): DatabaseConfig {
  return {
    databaseUrl: databaseUrl === null ? null : withSchema(databaseUrl, schema),
    schema,
    dataDir: path.resolve(cwd, dataDir),
    logLevel,
    logFormat: logFormat ?? (isTerminal ? 'pretty' : 'json'),
  }
}

function readLaunchpads(file: string, known: KnownAdapters, { cwd, readFile, problems }: FileReading): LaunchpadsConfig {
  const shown = path.normalize(file)
  const read = readIfPresent(path.resolve(cwd, file), readFile)
  if (read.kind !== 'text') {
    problems.push(
      `LAUNCHPADS_FILE: expected a file that says what to index at ${shown}, but ${read.problem} (docs/launchpads.example.json is one)`,
    )
    return NO_LAUNCHPADS
  }
  const parsed = parseLaunchpads(read.text, known)
  if (parsed.kind === 'valid') return parsed.value
  problems.push(...parsed.problems.map(problem => `${shown}: ${problem}`))
  return NO_LAUNCHPADS
}

function readKeys(file: string | null, { cwd, readFile, problems }: FileReading): Config['apiKeys'] {
  if (file === null) return null
  const read = readApiKeys(path.resolve(cwd, file), readFile)
  if (read.kind === 'valid') return read.keys
  problems.push(...read.problems.map(problem => `API_KEYS_FILE: ${path.normalize(file)}: ${problem}`))
  return []
}

function readWebhooks(
  { webhooksFile: file, webhooksAllowPrivate: allowPrivate }: Pick<Config, 'webhooksFile' | 'webhooksAllowPrivate'>,
  { cwd, readFile, problems }: FileReading,
): Config['webhooks'] {
  if (file === null) return []
  const read = readWebhooksFile(path.resolve(cwd, file), { allowPrivate, readFile })
  if (read.kind === 'valid') return read.webhooks
  problems.push(...read.problems.map(problem => `WEBHOOKS_FILE: ${path.normalize(file)}: ${problem}`))
  return []
}

/** Where the API keys are, for commands that read nothing else. @throws `TokenwireError` `config_invalid` as `loadConfig` */
export function loadApiKeysFile(env: Environment, cwd: string): string {
  const { values, problems } = parseSettings({ API_KEYS_FILE: SETTINGS.API_KEYS_FILE }, readEnvironment(env, cwd, readUtf8))
  const missing = values.apiKeysFile === null ? ['API_KEYS_FILE: missing, expected where the keys are or will be, such as ./keys.json'] : []
  return finish({ file: path.resolve(cwd, values.apiKeysFile ?? '') }, [...problems, ...missing]).file
}

function finish<T extends object>(config: T, problems: readonly string[], hint = ''): T {
  if (problems.length === 0) return freeze(config)
  throw new TokenwireError('config_invalid', `Tokenwire cannot start.${problems.map(one => `\n  ${one}`).join('')}${hint}`, {
    details: { problems },
  })
}

function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freeze(part)
  return Object.freeze(value)
}

/** The PEM files of `TLS_CERT_FILE` and `TLS_KEY_FILE`: both or none, readable, and a pair. */
function readTls(certFile: string | null, keyFile: string | null, { cwd, readFile, problems }: FileReading): Config['tls'] {
  if (certFile === null && keyFile === null) return null
  if (certFile === null || keyFile === null) {
    const [missing, other] = certFile === null ? ['TLS_CERT_FILE', 'TLS_KEY_FILE'] : ['TLS_KEY_FILE', 'TLS_CERT_FILE']
    problems.push(`${missing}: missing, expected a PEM file, as ${other} is set`)
    return null
  }
  const readPem = (name: string, file: string): string | null => {
    const read = readIfPresent(file, readFile)
    if (read.kind === 'text') return read.text
    problems.push(`${name}: expected a PEM file, but ${read.kind === 'missing' ? `${file} does not exist` : read.problem}`)
    return null
  }
  const tls = { certFile: path.resolve(cwd, certFile), keyFile: path.resolve(cwd, keyFile) }
  const cert = readPem('TLS_CERT_FILE', tls.certFile)
  const key = readPem('TLS_KEY_FILE', tls.keyFile)
  if (cert !== null && key !== null && !isPair(cert, key)) {
    problems.push('TLS_CERT_FILE, TLS_KEY_FILE: expected a PEM certificate and its PEM key without a passphrase')
  }
  return tls
}

function isPair(cert: string, key: string): boolean {
  if (cert.trim() === '' || key.trim() === '') return false
  try {
    createSecureContext({ cert, key })
    return true
  } catch {
    return false
  }
}
