import type { ApiKey } from '#config'
import { originTest } from '#gateway/admission/originPattern.ts'
import type { KeyUsage } from '#resources/usage.ts'

/** The limits of a key that has none of its own. */
export type KeyLimits = Required<NonNullable<ApiKey['limits']>>

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
