import type { Config } from '#config'
import { API_KEY_PATTERN, secretPattern } from '#domain/secretPattern.ts'

const HIDDEN = '[redacted]'
/** Keys of a log line that are kept as they are. */
const OWN_KEYS = new Set(['level', 'time', 'msg'])

export interface Redactor {
  text(text: string): string
  /** A JSON line with every secret in its keys and values replaced. Stays one JSON line. */
  line(line: string): string
  add(secrets: readonly string[]): void
}

/**
 * Finds secrets in every spelling of `secretPattern`, and everything that has the form of an API key. A line without a secret costs one
 * scan by one regular expression.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  let known: ReadonlySet<string> = new Set()
  let pattern = new RegExp(API_KEY_PATTERN, 'g')
  const add = (more: readonly string[]) => {
    known = new Set([...known, ...more])
    const ofSecrets = secretPattern(known)
    pattern = new RegExp(ofSecrets === null ? API_KEY_PATTERN : `${ofSecrets.source}|${API_KEY_PATTERN}`, 'g')
  }
  const text = (value: string) => value.replaceAll(pattern, HIDDEN)
  add(secrets)
  return {
    text,
    line: line => {
      if (line.search(pattern) === -1) return line
      try {
        return `${JSON.stringify(redactTree(JSON.parse(line), text, 'line'))}\n`
      } catch {
        return text(line) // the line is not JSON
      }
    },
    add,
  }
}

function redactTree(value: unknown, text: (value: string) => string, place?: 'line'): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return text(String(value)) === String(value) ? value : HIDDEN
  if (Array.isArray(value)) return value.map(part => redactTree(part, text))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => {
    if (place === 'line' && OWN_KEYS.has(key)) return [key, typeof part === 'string' && key !== 'level' ? text(part) : part]
    return [text(key), redactTree(part, text)]
  })
  return Object.fromEntries(entries)
}

/** Path segments of URLs that are words, not keys. */
const WORDS = new Set(
  'api archive arbitrum base callback chain eth ethereum event events evm goerli hook hooks http https json jsonrpc json-rpc main mainnet node notify optimism polygon public rest rpc sepolia services testnet tokenwire webhook webhooks ws wss'.split(
    ' ',
  ),
)

/** Shorter texts are not hidden: a password `a` would hide every `a` of the log. */
const MIN_LENGTH = 4

/** The settings with secrets (`secret` in `SETTINGS`). A command that reads only some of them passes only those. */
export type SecretConfig = Partial<
  Pick<
    Config,
    | 'rpcUrls'
    | 'ipfsGateways'
    | 'arweaveGateways'
    | 'coingeckoUrl'
    | 'coinbaseUrl'
    | 'coingeckoApiKey'
    | 'operatorToken'
    | 'databaseUrl'
    | 'databaseReadUrl'
    | 'logsFrom'
    | 'nats'
    | 'webhooks'
  >
>

/** Every text of the settings that must not appear in a log or an answer. */
export function secretsOf(config: SecretConfig): readonly string[] {
  const { rpcUrls = [], ipfsGateways = [], arweaveGateways = [], coingeckoUrl, coinbaseUrl, nats, webhooks = [] } = config
  const webhookNames = new Set(webhooks.map(({ name }) => name))
  const words = [config.operatorToken, config.coingeckoApiKey].filter(isGiven)
  const urls = [...rpcUrls, ...(nats?.urls ?? []), ...ipfsGateways, ...arweaveGateways, coingeckoUrl, coinbaseUrl].filter(isGiven)
  return [
    // A webhook is named in logs and in the health, also where the path of its URL ends with that name.
    ...webhooks.flatMap(({ url, secret }) => [...secretsOfUrl(url).filter(part => !webhookNames.has(part)), ...secret.split(' ')]),
    ...words.filter(word => word.length >= MIN_LENGTH),
    ...urls.flatMap(secretsOfUrl),
    ...[config.databaseUrl, config.databaseReadUrl, config.logsFrom].filter(isGiven).flatMap(secretsOfDatabaseUrl),
  ]
}

const isGiven = (value: string | null | undefined) => value !== null && value !== undefined

/**
 * The parts of a URL that may be a key: credentials, path segments and query, and the whole URL if it has any of them. A host is no key,
 * and neither is a path of common words (`/rpc`, `/v1/mainnet`).
 */
function secretsOfUrl(text: string): readonly string[] {
  const url = new URL(text)
  const segments = url.pathname.split('/').flatMap(bothForms).filter(isKey)
  const values = [url.hash, ...url.search.slice(1).split('&')].map(valueOf).flatMap(bothForms).filter(isKey)
  const parts = [...credentialsOf(url), ...segments, ...values]
  if (parts.length === 0) return []
  const path = url.pathname.replace(/\/$/, '')
  return [
    text,
    url.href,
    ...(segments.length > 0 ? [path] : []),
    ...(values.length > 0 ? [url.search, url.hash].filter(isKey) : []),
    ...parts,
  ]
}

/** The text after `=`; without one the name may be the key. */
function valueOf(parameter: string): string {
  const [name = '', ...value] = parameter.split('=')
  return value.length === 0 ? name.replace(/^#/, '') : value.join('=')
}

/** Only the credentials of a database URL: its host, port and name are useful in the log. */
function secretsOfDatabaseUrl(text: string): readonly string[] {
  const url = new URL(text)
  const passwords = [url.searchParams.get('password'), url.searchParams.get('sslpassword')].filter(word => word !== null)
  const parts = [...credentialsOf(url, 'password only'), ...passwords.filter(word => word.length >= MIN_LENGTH)]
  return url.password === '' && passwords.length === 0 ? [] : [text, url.href, ...parts]
}

/** `user:password`, also in base64 as Basic authentication sends it, and its parts; each percent-encoded and decoded. */
function credentialsOf(url: URL, which?: 'password only'): readonly string[] {
  const { username, password } = url
  if (username === '' && password === '') return []
  const isUserSecret = which === undefined && username.length >= MIN_LENGTH
  const pairs = password !== '' || isUserSecret ? bothForms(`${username}:${password}`) : []
  const words = [password, ...(which === undefined ? [username] : [])].flatMap(bothForms)
  return [...pairs, ...pairs.map(toBase64), ...words.filter(word => word.length >= MIN_LENGTH)]
}

function isKey(part: string): boolean {
  return part.length >= MIN_LENGTH && !WORDS.has(part.toLowerCase())
}

const bothForms = (text: string) => [text, decode(text)]

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone % is not percent-encoding
  }
}

const toBase64 = (text: string) => Buffer.from(text).toString('base64')
