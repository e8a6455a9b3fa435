import type { Config } from '#config'

/** Path segments of RPC addresses that are words and not keys. */
const WORDS = new Set(
  'api archive arbitrum base chain eth ethereum evm goerli http https json jsonrpc json-rpc main mainnet node optimism polygon public rest rpc sepolia testnet ws wss'.split(
    ' ',
  ),
)

/** Shorter ones are no secrets: hiding every `a` of the log because a password is `a` would hide the log. */
const LEAST_LENGTH = 4

/** What of the configuration may hold secrets; a command that reads only some of it has only those. */
export type SecretConfig = Partial<Pick<Config, 'rpcUrls' | 'databaseUrl' | 'coingecko' | 'coinbase' | 'metadata' | 'operatorToken'>>

/** Everything in the configuration that must not be seen outside the process, for `createRedactor`. */
export function secretsOf({
  rpcUrls = [],
  databaseUrl = null,
  coingecko,
  coinbase,
  metadata,
  operatorToken = null,
}: SecretConfig): readonly string[] {
  const words = [operatorToken, coingecko?.apiKey ?? null].filter(word => word !== null)
  const gateways = metadata === undefined ? [] : [...metadata.gateways.ipfs, ...metadata.gateways.arweave]
  const urls = [...rpcUrls, ...gateways, coingecko?.url, coinbase?.url].filter(url => url !== undefined)
  return [
    ...words.filter(word => word.length >= LEAST_LENGTH),
    ...urls.flatMap(secretsOfUrl),
    ...(databaseUrl === null ? [] : secretsOfDatabaseUrl(databaseUrl)),
  ]
}

/**
 * The parts of an address that may be a key: credentials, path and query, and the whole of an address that has any of them. A host is none, nor is a
 * path of common words (`/rpc`, `/v1/mainnet`).
 */
export function secretsOfUrl(text: string): readonly string[] {
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

/** What stands behind the `=`; without one the name may be the key itself. */
function valueOf(parameter: string): string {
  const [name = '', ...value] = parameter.split('=')
  return value.length === 0 ? name.replace(/^#/, '') : value.join('=')
}

/** Of a database's address only the credentials: its host, port and name help whoever reads the log. */
function secretsOfDatabaseUrl(text: string): readonly string[] {
  const url = new URL(text)
  const passwords = [url.searchParams.get('password'), url.searchParams.get('sslpassword')].filter(word => word !== null)
  const parts = [...credentialsOf(url, 'password only'), ...passwords.filter(word => word.length >= LEAST_LENGTH)]
  return url.password === '' && passwords.length === 0 ? [] : [text, url.href, ...parts]
}

/**
 * `user:password`, also as Basic authentication sends it, the password, and, where the user could be the key itself, the user; encoded and
 * decoded.
 */
function credentialsOf(url: URL, which?: 'password only'): readonly string[] {
  const { username, password } = url
  if (username === '' && password === '') return []
  const isUserSecret = which === undefined && username.length >= LEAST_LENGTH
  const pairs = password !== '' || isUserSecret ? bothForms(`${username}:${password}`) : []
  const words = [password, ...(which === undefined ? [username] : [])].flatMap(bothForms)
  return [...pairs, ...pairs.map(toBase64), ...words.filter(word => word.length >= LEAST_LENGTH)]
}

function isKey(part: string): boolean {
  return part.length >= LEAST_LENGTH && !WORDS.has(part.toLowerCase())
}

const bothForms = (text: string) => [text, decode(text)]

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone % is no encoding
  }
}

const toBase64 = (text: string) => Buffer.from(text).toString('base64')
