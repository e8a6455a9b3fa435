import type { ApiKeys } from '#gateway/keys/apiKeys.ts'
import type { GrantedKey } from '#gateway/keys/grantedKey.ts'
import type { HttpRequest } from '#gateway/uWebSockets.ts'
import { limitKey } from './clientAddress.ts'

/** The sender of a request. */
export interface Client {
  /** The normalised IP address. */
  readonly address: string
  /** The given key, if it is in force; `null`: there is none. */
  readonly key: GrantedKey | null
  /** Where a key was given, whether or not it is in force. */
  readonly keyIn: 'header' | 'url' | 'nowhere'
}

/** The id by which limits are counted: that of the key, or else the address. */
export function clientId({ address, key }: Client): string {
  return key === null ? limitKey(address) : `key ${key.name}`
}

/**
 * Reads the first key that is given: `X-Api-Key`; `Authorization: Bearer` with a key that is in force, for programs that send no other
 * header; `apiKey` of the query, for browsers, whose WebSockets and `EventSource` send no header.
 */
export function readClient(address: string, req: Pick<HttpRequest, 'getHeader' | 'getQuery'>, keys: ApiKeys): Client {
  if (!keys.areUsed) return { address, key: null, keyIn: 'nowhere' }
  const header = req.getHeader('x-api-key')
  if (header !== '') return { address, key: keys.find(header), keyIn: 'header' }
  const bearer = /^bearer +(\S+) *$/i.exec(req.getHeader('authorization'))?.[1]
  const ofBearer = bearer === undefined ? null : keys.find(bearer)
  if (ofBearer !== null) return { address, key: ofBearer, keyIn: 'header' }
  const [inUrl, ...more] = new URLSearchParams(req.getQuery() ?? '').getAll('apiKey')
  if (inUrl === undefined) return { address, key: null, keyIn: 'nowhere' }
  return { address, key: more.length === 0 ? keys.find(inUrl) : null, keyIn: 'url' }
}
