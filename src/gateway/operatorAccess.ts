import { hash, timingSafeEqual } from 'node:crypto'
import { isLoopback, type OperatorPolicy } from './operatorPolicy.ts'
import { type Problem, problem } from './problem.ts'

/** What is known about who asks. */
interface Credentials {
  readonly authorization: string
  /** Whether the request came through something that says so. */
  readonly forwarded: boolean
  /** The `Host` header: what the client took this server for. */
  readonly host: string
}

const CLOSED = {
  reachable: 'without OPERATOR_TOKEN they answer only on a loopback HOST with TRUST_PROXY 0',
  'no-file':
    'the service could not write the file operator-token under DATA_DIR; set OPERATOR_TOKEN, or let it write there and start it again',
}

/**
 * Decides on a request for an operator route; `null` lets it in. Without `OPERATOR_TOKEN` the request must be this machine's own: it has
 * no header of a proxy, and asks for a loopback name, which neither a proxy that passes `Host` on does nor a page whose name was made to
 * resolve to this machine.
 */
export function refuseOperator(policy: OperatorPolicy, { authorization, forwarded, host }: Credentials): Problem | null {
  const isDirect = !forwarded && isLoopback(withoutPort(host))
  switch (policy.kind) {
    case 'token':
      return refuseToken(policy.token, authorization, '<OPERATOR_TOKEN>')
    case 'local-token':
      if (!isDirect) return closed('set OPERATOR_TOKEN to use them through a proxy or by another name than a loopback one')
      return refuseToken(
        policy.token,
        authorization,
        '<what is in the file operator-token under DATA_DIR>; set OPERATOR_TOKEN to choose another',
      )
    case 'loopback':
      return isDirect ? null : closed('set OPERATOR_TOKEN to use them through a proxy or by another name than a loopback one')
    case 'closed':
      return closed(CLOSED[policy.because])
  }
}

function closed(because: string): Problem {
  return problem(403, 'unauthorized', `operator routes are closed here: ${because}`)
}

function refuseToken(expected: string, authorization: string, where: string): Problem | null {
  const given = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (given !== undefined && equal(given, expected)) return null
  const wanted = `Authorization: Bearer ${where}`
  const detail = given === undefined ? `this route needs the operator token: ${wanted}` : `this is not the operator token: ${wanted}`
  return problem(401, 'unauthorized', detail, [['WWW-Authenticate', 'Bearer realm="tokenwire operators"']])
}

/** In constant time: hashes are compared, since a comparison of texts of different length would tell the length. */
function equal(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '')
}
