import { isIPv4 } from 'node:net'
import type { Config } from '#config'
import { normaliseAddress } from './clientAddress.ts'

/** Who may use operator routes; decided once, at the start. */
export type OperatorPolicy =
  /** Whoever has `OPERATOR_TOKEN`, from anywhere. */
  | { readonly kind: 'token'; readonly token: string }
  /** Whoever has the token of the file `operator-token` and asks this machine directly, by a loopback name. */
  | { readonly kind: 'local-token'; readonly token: string }
  /** Whoever asks this machine directly, by a loopback name. */
  | { readonly kind: 'loopback' }
  /** Nobody: the service may be reached from elsewhere, or the file could not be written. */
  | { readonly kind: 'closed'; readonly because: 'reachable' | 'no-file' }

export type OperatorConfig = Pick<Config, 'host' | 'operatorToken' | 'operatorLoopbackOpen' | 'trustProxy'>

/**
 * The first that applies:
 *
 * 1. `OPERATOR_TOKEN` is set.
 * 2. `HOST` is no loopback address, or `TRUST_PROXY` says that there is a proxy: closed.
 * 3. `OPERATOR_LOOPBACK_OPEN`: a proxy that adds no header and rewrites `Host`, as nginx does unless told otherwise, then opens the
 *    routes to the world.
 * 4. A token of this machine's own: whoever can read it may.
 *
 * @param localToken - `null`: there is none; not called unless it is needed
 */
export async function operatorPolicy(config: OperatorConfig, localToken: () => Promise<string | null>): Promise<OperatorPolicy> {
  if (config.operatorToken !== null) return { kind: 'token', token: config.operatorToken }
  if (!isLoopback(config.host) || config.trustProxy > 0) return { kind: 'closed', because: 'reachable' }
  if (config.operatorLoopbackOpen) return { kind: 'loopback' }
  const token = await localToken()
  return token === null ? { kind: 'closed', because: 'no-file' } : { kind: 'local-token', token }
}

/** Of a name or an address, with or without brackets. */
export function isLoopback(host: string): boolean {
  const address = normaliseAddress(host)
  if (address === undefined) return host.toLowerCase() === 'localhost'
  return isIPv4(address) ? address.startsWith('127.') : address === '0:0:0:0:0:0:0:1'
}
