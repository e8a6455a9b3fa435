import { hash, timingSafeEqual } from 'node:crypto'
import { isIPv4 } from 'node:net'
import type { Config } from '#config'
import { normaliseAddress } from './clientAddress.ts'
import { type Problem, problem } from './problem.ts'

/** What is known about who asks. */
interface Credentials {
  readonly authorization: string
  /** Whether the request came through a proxy. */
  readonly forwarded: boolean
  /** The `Host` header: what the client took this server for. */
  readonly host: string
}

/**
 * Decides on a request for an operator route; `null` lets it in.
 *
 * 1. `OPERATOR_TOKEN` is set: the request must carry it.
 * 2. It is not, and `HOST` is a loopback address: whoever reaches the port is on this machine, unless a proxy stands in front. One that
 *    adds no header of its own, and a page whose name was made to resolve to this machine, are told by the name they ask for.
 * 3. Else nobody may.
 */
export function refuseOperator(
  config: Pick<Config, 'host' | 'operatorToken' | 'trustProxy'>,
  { authorization, forwarded, host }: Credentials,
): Problem | null {
  if (config.operatorToken !== null) {
    const given = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
    if (given !== undefined && equal(given, config.operatorToken)) return null
    const detail =
      given === undefined ? 'this route needs the operator token: Authorization: Bearer <OPERATOR_TOKEN>' : 'this is not the operator token'
    return problem(401, 'unauthorized', detail, [['WWW-Authenticate', 'Bearer realm="tokenwire operators"']])
  }
  if (isLoopback(config.host) && config.trustProxy === 0 && !forwarded && isLoopback(withoutPort(host))) return null
  return problem(
    403,
    'unauthorized',
    'operator routes are closed here: without OPERATOR_TOKEN they answer only on a loopback HOST, asked for by a loopback name, with no proxy in front',
  )
}

/** In constant time: hashes are compared, since a comparison of texts of different length would tell the length. */
function equal(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '')
}

function isLoopback(host: string): boolean {
  const address = normaliseAddress(host)
  if (address === undefined) return host.toLowerCase() === 'localhost'
  return isIPv4(address) ? address.startsWith('127.') : address === '0:0:0:0:0:0:0:1'
}
