import { TokenwireError } from '#errors'

/**
 * Why a statement failed, and whether to retry it:
 * - `unavailable`: the server is down, restarting, or refuses new connections for now: retry until it is back;
 * - `conflict`: the transaction lost against another one or waited too long: retry at once;
 * - `exhausted`: the server has no disk space or memory left: retry slowly, an operator is needed;
 * - `refused`: wrong password, no such database, no permission, a certificate that is not trusted: a retry does not help;
 * - `defect`: everything else: the statement or its values are wrong.
 */
export type DatabaseFault = 'unavailable' | 'conflict' | 'exhausted' | 'refused' | 'defect'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const FAULT_BY_SQLSTATE: Readonly<Record<string, DatabaseFault>> = {
  '25006': 'unavailable', // read_only_sql_transaction: a standby, after a fail-over
  '25P03': 'unavailable', // idle_in_transaction_session_timeout
  '25P04': 'unavailable', // transaction_timeout
  '28000': 'refused', // invalid_authorization_specification
  '28P01': 'refused', // invalid_password
  '3D000': 'refused', // invalid_catalog_name
  '40001': 'conflict', // serialization_failure
  '40P01': 'conflict', // deadlock_detected
  '42501': 'refused', // insufficient_privilege
  '53300': 'unavailable', // too_many_connections
  '55P03': 'conflict', // lock_not_available
  '57014': 'conflict', // query_canceled, which a statement timeout is
  '57P01': 'unavailable', // admin_shutdown
  '57P02': 'unavailable', // crash_shutdown
  '57P03': 'unavailable', // cannot_connect_now
  '57P04': 'refused', // database_dropped
  '57P05': 'unavailable', // idle_session_timeout
}

const FAULT_BY_CLASS: Readonly<Record<string, DatabaseFault>> = {
  '08': 'unavailable', // connection exception
  '53': 'exhausted', // insufficient resources
  '58': 'exhausted', // system error: the server's disk
}

const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'ENOENT',
])

// Messages of the driver and its pool whose errors have no code.
const DRIVER_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after|driver has already been destroyed|Query read timeout|Client was closed)/i

// Codes of Node's TLS and of OpenSSL: https://nodejs.org/api/tls.html#x509-certificate-error-codes
const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/

const SQLSTATE = /^[0-9A-Z]{5}$/

const MESSAGES: Readonly<Record<Exclude<DatabaseFault, 'defect'>, string>> = {
  unavailable: 'The database can not be reached',
  conflict: 'The database did not answer in time or gave way to another transaction',
  exhausted: 'The database server has no disk or memory left',
  refused: 'The database refuses this service',
}

/** Why a statement failed. The first known code or message of the error and its causes decides. */
export function databaseFault(error: unknown): DatabaseFault {
  for (const link of causes(error)) {
    const code = codeOf(link)
    if (isReadOnlyDisk(link)) return 'exhausted'
    if (isStalePlan(link)) return 'conflict'
    const fault =
      code === null ? undefined : (FAULT_BY_SQLSTATE[code] ?? FAULT_BY_CLASS[/^([0-9A-Z]{2})[0-9A-Z]{3}$/.exec(code)?.[1] ?? ''])
    if (fault !== undefined) return fault
    if (code !== null && SYSTEM_CODES.has(code)) return 'unavailable'
    if (isClosedSocket(link) || isTlsError(link)) return 'refused'
    if (link instanceof Error && DRIVER_MESSAGES.test(link.message)) return 'unavailable'
    if (link instanceof Error && link.message.startsWith('The server does not support SSL')) return 'refused'
  }
  return 'defect'
}

/** Whether the server, the connection to it or its driver has reported the error. */
export function isOfDatabase(error: unknown): boolean {
  return databaseFault(error) !== 'defect' || causes(error).some(link => SQLSTATE.test(codeOf(link) ?? ''))
}

/** Whether the two sides could not agree on an encrypted connection. */
export function isTlsError(link: object): boolean {
  return TLS_CODE.test(codeOf(link) ?? '')
}

/**
 * A `TokenwireError` `database_unavailable` when the database can't answer, else the error itself, which is a defect. Neither contains the
 * URL or the password, since no message of the driver does.
 */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof TokenwireError) return error
  const fault = databaseFault(error)
  if (fault === 'defect') return error
  const sqlState = causes(error)
    .map(codeOf)
    .find(code => code !== null)
  return new TokenwireError('database_unavailable', MESSAGES[fault], {
    retryable: fault !== 'refused',
    details: { fault, reason: sqlState ?? null },
    cause: error,
  })
}

/** The error and its causes, outermost first. */
export function causes(error: unknown): object[] {
  const found: object[] = []
  const queue: unknown[] = [error]
  while (queue.length > 0 && found.length < 16) {
    const link = queue.shift()
    if (link === null || typeof link !== 'object' || found.includes(link)) continue
    found.push(link)
    if (link instanceof AggregateError) queue.push(...link.errors)
    if ('cause' in link) queue.push(link.cause)
  }
  return found
}

/** The `code` of an error: PostgreSQL's SQLSTATE, or one of Node's. */
export function codeOf(link: object): string | null {
  return 'code' in link && typeof link.code === 'string' ? link.code : null
}

/**
 * Whether a table was altered after the statement was prepared ("cached plan must not change result type"). The code alone means any
 * missing feature, and the message may be in any language.
 */
export function isStalePlan(link: unknown): boolean {
  return link instanceof Error && codeOf(link) === '0A000' && 'routine' in link && link.routine === 'RevalidateCachedQuery'
}

/** Whether this process may not enter the folder of the server's socket. */
export function isClosedSocket(link: object): boolean {
  return 'syscall' in link && link.syscall === 'connect' && (codeOf(link) === 'EACCES' || codeOf(link) === 'EPERM')
}

/** Whether the server's disk takes no writes. PostgreSQL reports that as a missing permission (42501). */
export function isReadOnlyDisk(link: object): boolean {
  return link instanceof Error && codeOf(link) === '42501' && link.message.includes('Read-only file system')
}
