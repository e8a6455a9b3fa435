import { hash, timingSafeEqual } from 'node:crypto'
import { type Problem, problem } from '#gateway/http/problem.ts'
import { isLoopback, type OperatorPolicy } from './operatorPolicy.ts'

interface Credentials {
  readonly authorization: string
  readonly forwarded: boolean
  readonly host: string
}

const CLOSED = {
  reachable: 'without OPERATOR_TOKEN they answer only on a loopback HOST with TRUST_PROXY 0',
  'no-file':
    'the service could not write the file operator-token under DATA_DIR; set OPERATOR_TOKEN, or let it write there and start it again',
}

/**
 * The problem of a request to an operator route; `null`: it is admitted. Without `OPERATOR_TOKEN` it must come from this machine: it may
 * have no header of a proxy, and its `Host` must be a loopback name, which refuses proxies that pass `Host` on and pages whose own name
 * resolves to this machine (DNS rebinding).
 */
export function refuseOperator(policy: OperatorPolicy, { authorization, forwarded, host }: Credentials): Problem | null {
  const isDirect = !forwarded && isLoopback(host.replace(/:\d+$/, ''))
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

/** Compares texts in constant time. Comparing hashes keeps the length of the token secret. */
function equal(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
}
