import { isIPv4 } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from '#config'
import { normaliseAddress } from '#gateway/admission/clientAddress.ts'
import type { Redactor } from '#telemetry/redactor.ts'
import { operatorTokenFile, readOrMakeToken } from './operatorTokenFile.ts'

/** The requests that may use operator routes. Decided once, at the start. */
export type OperatorPolicy =
  /** Requests with `OPERATOR_TOKEN`. */
  | { readonly kind: 'token'; readonly token: string }
  /** Requests with the token of the file `operator-token`, sent directly from this machine to a loopback name. */
  | { readonly kind: 'local-token'; readonly token: string }
  /** Requests sent directly from this machine to a loopback name. */
  | { readonly kind: 'loopback' }
  /** No requests: the service is reachable from other machines, or the token file could not be written. */
  | { readonly kind: 'closed'; readonly because: 'reachable' | 'no-file' }

export type OperatorConfig = Pick<Config, 'host' | 'operatorToken' | 'operatorLoopbackOpen' | 'trustProxy'>

/**
 * The first that applies:
 *
 * 1. `OPERATOR_TOKEN` is set.
 * 2. `HOST` is not a loopback address, or `TRUST_PROXY` announces a proxy: closed.
 * 3. `OPERATOR_LOOPBACK_OPEN`. A proxy that adds no header and rewrites `Host`, as nginx does by default, then opens the routes to
 * everyone.
 * 4. A token in a file that only this machine's operator can read, if `localToken` can make one.
 */
export async function operatorPolicy(config: OperatorConfig, localToken: () => Promise<string | null>): Promise<OperatorPolicy> {
  if (config.operatorToken !== null) return { kind: 'token', token: config.operatorToken }
  if (!isLoopback(config.host) || config.trustProxy > 0) return { kind: 'closed', because: 'reachable' }
  if (config.operatorLoopbackOpen) return { kind: 'loopback' }
  const token = await localToken()
  return token === null ? { kind: 'closed', because: 'no-file' } : { kind: 'local-token', token }
}

/** Whether a host name or address, with or without brackets, is loopback. */
export function isLoopback(host: string): boolean {
  const address = normaliseAddress(host)
  if (address === undefined) return host.toLowerCase() === 'localhost'
  return isIPv4(address) ? address.startsWith('127.') : address === '0:0:0:0:0:0:0:1'
}

export interface OpenOperatorsOptions {
  readonly config: OperatorConfig & Pick<Config, 'dataDir'>
  readonly logger: Logger
  /** Removes the token from the log. */
  readonly redactor: Pick<Redactor, 'add'>
}

/** Writes `DATA_DIR/operator-token` if the policy needs a token and none is set. Never rejects. */
export function openOperators({ config, logger, redactor }: OpenOperatorsOptions): Promise<OperatorPolicy> {
  return operatorPolicy(config, async () => {
    const file = operatorTokenFile(config.dataDir)
    try {
      const token = await readOrMakeToken(file)
      redactor.add([token])
      logger.info({ file }, 'operator routes ask for the token in this file, since OPERATOR_TOKEN is not set')
      return token
    } catch (err) {
      logger.warn({ err, file }, 'operator routes are closed: OPERATOR_TOKEN is not set, and the file for a token can not be written')
      return null
    }
  })
}
