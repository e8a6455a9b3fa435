import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import path from 'node:path'
import process from 'node:process'
import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Redactor } from '#telemetry/redactor.ts'
import { normaliseAddress } from './admission/sockets.ts'
import { type Problem, problem } from './http/problem.ts'

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
function isLoopback(host: string): boolean {
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

/** The content of the file: 32 random bytes in base64url and a line break. */
const WELL_FORMED = /^([\w-]{43})\n?$/
const FILE_BYTES = 44
const MODE_OF_OTHERS = 0o077

export function operatorTokenFile(dataDir: string): string {
  return path.join(dataDir, 'operator-token')
}

/**
 * Reads the token of an earlier start, which stays valid. Replaces any other file in its place by one with a new token, which only the user
 * of this process can read. Rejects when the file can't be written.
 */
export async function readOrMakeToken(file: string): Promise<string> {
  const found = await readToken(file)
  if (found !== null) return found
  await mkdir(path.dirname(file), { recursive: true })
  const token = randomBytes(32).toString('base64url')
  const draft = `${file}.${randomBytes(8).toString('hex')}.tmp`
  try {
    await writeDraft(draft, token)
    try {
      await link(draft, file) // fails if the file exists
      return token
    } catch {
      // Another process may have made the file first. Both then use its token.
      const others = await readToken(file)
      if (others !== null) return others
      await rename(draft, file) // replaces a symbolic link instead of following it
      return token
    }
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeDraft(draft: string, token: string): Promise<void> {
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${token}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The token of a regular file that belongs to this user and that no other user may access; `null`: there is none. */
async function readToken(file: string): Promise<string | null> {
  // This follows no symbolic link and waits for no pipe.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return null
  try {
    const { uid, mode, size } = await handle.stat().then(found => (found.isFile() ? found : { uid: -1, mode: 0, size: 0 }))
    if (uid !== process.getuid?.() || (mode & MODE_OF_OTHERS) !== 0 || size > FILE_BYTES) return null
    return WELL_FORMED.exec(await handle.readFile('utf8'))?.[1] ?? null
  } finally {
    await handle.close()
  }
}
