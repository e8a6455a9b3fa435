import { hash } from 'node:crypto'
import type { ApiKey } from '#config'
import { hasApiKeyForm } from '#domain/apiKey.ts'
import { GrantedKey, type KeyLimits } from './grantedKey.ts'

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
