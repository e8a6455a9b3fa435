import { TokenwireError } from '#errors'

/**
 * Why a statement failed, and whether to retry it:
 * - `unavailable`: the server is down, restarting, or refuses new connections for now: retry until it is back;
 * - `conflict`: the transaction lost against another one or waited too long: retry at once;
 * - `exhausted`: the server has no disk space or memory left, is at a limit of its own or fails: retry slowly, an operator is needed;
 * - `refused`: wrong password, no such database, no permission, a certificate that is not trusted, a trigger that was added: a retry does
 *   not help;
 * - `defect`: everything else: the statement or its values are wrong, or the tables are not as this service has left them.
 */
export type DatabaseFault = 'unavailable' | 'conflict' | 'exhausted' | 'refused' | 'defect'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const FAULT_BY_SQLSTATE: Readonly<Record<string, DatabaseFault>> = {
  '25006': 'unavailable', // read_only_sql_transaction: a standby, after a fail-over
  '25P03': 'unavailable', // idle_in_transaction_session_timeout
  '25P04': 'unavailable', // transaction_timeout
  '42501': 'refused', // insufficient_privilege
  '42P05': 'conflict', // duplicate_prepared_statement, of another session
  '53300': 'unavailable', // too_many_connections
  '57014': 'conflict', // query_canceled, which a statement timeout is
  '57P04': 'refused', // database_dropped
}

const FAULT_BY_CLASS: Readonly<Record<string, DatabaseFault>> = {
  '08': 'unavailable', // connection exception
  '09': 'refused', // triggered action exception
  '26': 'conflict', // invalid SQL statement name: a prepared one of another session
  '28': 'refused', // invalid authorization specification
  '2F': 'refused', // SQL routine exception
  '38': 'refused', // external routine exception
  '39': 'refused', // external routine invocation exception
  '3D': 'refused', // invalid catalog name
  '40': 'conflict', // transaction rollback
  '53': 'exhausted', // insufficient resources
  '54': 'exhausted', // program limit exceeded
  '55': 'conflict', // object not in prerequisite state
  '57': 'unavailable', // operator intervention
  '58': 'exhausted', // system error: the server's disk
  '72': 'conflict', // snapshot failure
  F0: 'exhausted', // configuration file error
  HV: 'refused', // foreign data wrapper error
  P0: 'refused', // PL/pgSQL error: this service has no functions in it
  XX: 'exhausted', // internal error, also of poolers and managed services
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

const MESSAGES: Readonly<Record<Exclude<DatabaseFault, 'defect'>, string>> = {
  unavailable: 'The database can not be reached',
  conflict: 'The database did not answer in time or gave way to another transaction',
  exhausted: 'The database server fails or is at a limit',
  refused: 'The database refuses this service',
}

/** Why a statement failed. The first known code or message of the error and its causes decides. */
export function databaseFault(error: unknown): DatabaseFault {
  for (const link of causes(error)) {
    const code = codeOf(link)
    if (isReadOnlyDisk(link)) return 'exhausted'
    if (isStalePlan(link)) return 'conflict'
    const fault = code === null ? undefined : (FAULT_BY_SQLSTATE[code] ?? FAULT_BY_CLASS[sqlClassOf(code) ?? ''])
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
  return databaseFault(error) !== 'defect' || causes(error).some(link => sqlClassOf(codeOf(link)) !== null)
}

/** The class of an SQLSTATE, its first two characters; `null`: the code is none. Codes of Node's that have five letters begin with E. */
export function sqlClassOf(code: string | null): string | null {
  return code === null ? null : (/^([0-9A-DF-Z][0-9A-Z])[0-9A-Z]{3}$/.exec(code)?.[1] ?? null)
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

/** Whether the server's queue of notifications is full. The code means any limit, and the message may be in any language. */
export function isFullQueue(link: object): boolean {
  return codeOf(link) === '54000' && 'routine' in link && link.routine === 'PreCommit_Notify'
}
