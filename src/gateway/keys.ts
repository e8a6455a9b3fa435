import { hash } from 'node:crypto'
import type { ApiKey } from '#config'
import { hasApiKeyForm } from '#domain/secretPattern.ts'
import type { KeyUsage } from '#resources/health.ts'

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

/**
 * Compiles `ALLOWED_ORIGINS`, normalised by the configuration (`scheme://host[:port]`), to a test of an `Origin` header:
 *
 * - `*` alone allows every origin, including `null` (sandboxed frames, files);
 * - `https://*.example.com` allows subdomains of any depth, but not `example.com` itself;
 * - `https://pr-*.example.com` allows one label in place of `*`;
 * - `http://localhost:*` allows any port, including the scheme's default.
 */
export function originTest(patterns: readonly string[]): (origin: string) => boolean {
  if (patterns.includes('*')) return () => true
  const compiled = patterns.map(compile)
  return origin => compiled.some(pattern => pattern.test(origin.toLowerCase()))
}

function compile(pattern: string): RegExp {
  const {
    scheme = '',
    host = '',
    port,
  } = /^(?<scheme>[^:]+):\/\/(?<host>\[.+\]|[^:]+)(?::(?<port>.+))?$/.exec(pattern.toLowerCase())?.groups ?? {}
  return new RegExp(`^${escape(scheme)}://${host.split('.').map(labelSource).join('\\.')}${portSource(port, DEFAULT_PORTS[scheme])}$`)
}

function labelSource(label: string): string {
  return label === '*' ? '[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*' : label.split('*').map(escape).join('[a-z0-9_-]*')
}

/** Browsers omit the scheme's default port in `Origin`. */
function portSource(port: string | undefined, defaultPort: string | undefined): string {
  if (port === '*') return '(?::\\d{1,5})?'
  if (port !== undefined && port !== defaultPort) return `:${escape(port)}`
  return defaultPort === undefined ? '' : `(?::${defaultPort})?`
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** The keys that are in force. */
export interface ApiKeys {
  /** Whether the service has keys. If not, it ignores given keys. */
  readonly areUsed: boolean
  /** The key in force with this text; `null`: there is none. */
  find(text: string): GrantedKey | null
  /** Whether pages of the origin may use some key: a preflight does not say which one follows. */
  someAllowsOrigin(origin: string): boolean
  /** Replaces the keys when the file has changed. A key that is no longer in it is revoked. */
  replace(keys: readonly ApiKey[]): void
  all(): readonly GrantedKey[]
}

/** @param initial the keys of the file; `null`: the service has no keys */
export function createApiKeys(initial: readonly ApiKey[] | null, defaults: KeyLimits): ApiKeys {
  let bySha256: ReadonlyMap<string, GrantedKey> = new Map()

  function replace(keys: readonly ApiKey[]): void {
    const earlier = bySha256
    bySha256 = new Map(
      keys.map(key => {
        const granted = earlier.get(key.sha256)
        granted?.change(key)
        return [key.sha256, granted ?? new GrantedKey(key, defaults)]
      }),
    )
    for (const [sha256, granted] of earlier) if (!bySha256.has(sha256)) granted.revoke()
  }

  replace(initial ?? [])
  return {
    areUsed: initial !== null,
    // The time of a look-up by hash does not help to guess a key. A hash of 256 random bits needs no salt.
    find: text => (hasApiKeyForm(text) ? (bySha256.get(hash('sha256', text)) ?? null) : null),
    someAllowsOrigin: origin => [...bySha256.values()].some(key => key.isForPages && key.allowsOrigin(origin)),
    replace,
    all: () => [...bySha256.values()],
  }
}

/** The limits of a key that has none of its own. */
type KeyLimits = Required<NonNullable<ApiKey['limits']>>

/** A key that is in force, and its usage. Its name, limits and rights change with the file. */
export class GrantedKey {
  #key: ApiKey
  readonly #defaults: KeyLimits
  #originAllowed: (origin: string) => boolean = () => true
  #isRevoked = false
  #windowEndsAtMs = 0
  #inWindow = 0
  #requests = 0
  #refusedRequests = 0
  #connections = 0
  #openedConnections = 0
  #refusedConnections = 0

  constructor(key: ApiKey, defaults: KeyLimits) {
    this.#key = key
    this.#defaults = defaults
    this.change(key)
  }

  get name(): string {
    return this.#key.name
  }

  get isOperator(): boolean {
    return !this.#isRevoked && this.#key.operator === true
  }

  get isRevoked(): boolean {
    return this.#isRevoked
  }

  /** The limits of the key. `requestsPerMinute` 0: there is no limit. */
  get limits(): KeyLimits {
    return { ...this.#defaults, ...this.#key.limits }
  }

  /** Whether only pages of certain origins may use it. */
  get isForPages(): boolean {
    return this.#key.origins !== undefined
  }

  /** Whether pages of the origin may use the key, which has to be a key for pages. */
  allowsOrigin(origin: string): boolean {
    return this.#originAllowed(origin)
  }

  change(key: ApiKey): void {
    this.#key = key
    if (key.origins !== undefined) this.#originAllowed = originTest(key.origins)
  }

  revoke(): void {
    this.#isRevoked = true
  }

  /** Counts a request. Returns how many its window has by now, and when that ends. */
  countRequest(nowMs: number, windowMs: number): { readonly count: number; readonly endsAtMs: number } {
    if (nowMs >= this.#windowEndsAtMs) {
      this.#windowEndsAtMs = nowMs + windowMs
      this.#inWindow = 0
    }
    this.#inWindow++
    const { requestsPerMinute } = this.limits
    if (requestsPerMinute > 0 && this.#inWindow > requestsPerMinute) this.#refusedRequests++
    else this.#requests++
    return { count: this.#inWindow, endsAtMs: this.#windowEndsAtMs }
  }

  connectionChanged(difference: 1 | -1): void {
    this.#connections += difference
    if (difference === 1) this.#openedConnections++
  }

  connectionRefused(): void {
    this.#refusedConnections++
  }

  usage(): KeyUsage {
    const { requestsPerMinute, connections } = this.limits
    return {
      name: this.name,
      requests: this.#requests,
      refusedRequests: this.#refusedRequests,
      maxRequestsPerMinute: requestsPerMinute === 0 ? null : requestsPerMinute,
      maxConnections: connections,
      connections: this.#connections,
      openedConnections: this.#openedConnections,
      refusedConnections: this.#refusedConnections,
    }
  }
}
