import { isIPv6 } from 'node:net'
import { isTlsCode } from '#async/connecting.ts'
import { messageOf, TokenwireError } from '#errors'
import type { DatabaseCause } from '#resources/health.ts'

/**
 * Why a statement failed, and whether to retry it:
 * - `unavailable`: the server is down, restarting, or refuses new connections for now: retry until it is back;
 * - `conflict`: the transaction lost against another one or waited too long: retry at once;
 * - `exhausted`: the server has no disk space or memory left, is at a limit of its own or fails: retry slowly, an operator is needed;
 * - `refused`: wrong password, no such database, no permission, a certificate that is not trusted, a trigger that was added: a retry does
 *   not help;
 * - `defect`: everything else: the statement or its values are wrong, or the tables are not as this service has left them.
 */
type DatabaseFault = 'unavailable' | 'conflict' | 'exhausted' | 'refused' | 'defect'

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
    if (isStartupParameter(link)) return 'refused'
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
function sqlClassOf(code: string | null): string | null {
  return code === null ? null : (/^([0-9A-DF-Z][0-9A-Z])[0-9A-Z]{3}$/.exec(code)?.[1] ?? null)
}

/** Whether the two sides could not agree on an encrypted connection. */
function isTlsError(link: object): boolean {
  return isTlsCode(codeOf(link) ?? '')
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
function isClosedSocket(link: object): boolean {
  return 'syscall' in link && link.syscall === 'connect' && (codeOf(link) === 'EACCES' || codeOf(link) === 'EPERM')
}

/** Whether the server's disk takes no writes. PostgreSQL reports that as a missing permission (42501). */
function isReadOnlyDisk(link: object): boolean {
  return link instanceof Error && codeOf(link) === '42501' && link.message.includes('Read-only file system')
}

/** Whether a pooler does not take a parameter with which connections begin. It says so in English. */
function isStartupParameter(link: object): boolean {
  return link instanceof Error && codeOf(link) === '08P01' && /\bstartup parameter\b/.test(link.message)
}

/** Whether the server has no rule for connections of this service that are not encrypted. */
function isUnencrypted(link: object): boolean {
  return link instanceof Error && codeOf(link) === '28000' && /, (no encryption|SSL off)$/.test(link.message)
}

/** Whether the server's queue of notifications is full. The code means any limit, and the message may be in any language. */
function isFullQueue(link: object): boolean {
  return codeOf(link) === '54000' && 'routine' in link && link.routine === 'PreCommit_Notify'
}

/** Whether the server gives out no more transaction ids, since old ones were not vacuumed. The code means any limit, too. */
function isOutOfTransactionIds(link: object): boolean {
  return codeOf(link) === '54000' && 'routine' in link && /^GetNew(TransactionId|MultiXactId)$/.test(String(link.routine))
}

/** Whether the server's table of locks is full. The code is that of any memory. */
function isFullLockTable(link: object): boolean {
  return codeOf(link) === '53200' && /\bmax_(pred_)?locks_per_transaction\b/.test(hintOf(link) ?? '')
}

/** Whether the server has IPv6 addresses alone, to which there is no way from here. */
function isUnreachedIpv6(link: object, links: readonly object[]): boolean {
  const isUnreached = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'].includes(codeOf(link) ?? '')
  return isUnreached && links.every(one => !('address' in one) || isIPv6(String(one.address)))
}

/** What PostgreSQL itself advises, such as the setting to raise or where a managed service is told to allow something. */
function hintOf(link: object): string | null {
  return 'hint' in link && typeof link.hint === 'string' && link.hint !== '' ? link.hint : null
}

interface Kind {
  readonly shown: string
  readonly remedy: string
}

const NOT_THERE: Kind = {
  shown: 'the database is not reachable',
  remedy: 'start PostgreSQL, or correct host and port of DATABASE_URL, or the firewall in between',
}
const LOST: Kind = {
  shown: 'the connection to the database failed',
  remedy: 'it is opened anew; if this lasts, check that PostgreSQL, and a pooler in between, runs and can be reached as DATABASE_URL says',
}
const NO_IPV6: Kind = {
  shown: NOT_THERE.shown,
  remedy:
    'it has an IPv6 address, and there is no way to one from here: give this machine or container IPv6, or take an address of the database that has IPv4, such as that of its pooler in session mode',
}
const BUSY: Kind = {
  shown: 'the database is too slow or busy',
  remedy: 'it is tried again; look for long transactions and for load on its server',
}
const REFUSED: Kind = { shown: 'the database refuses this service', remedy: 'correct user, password, database and sslmode of DATABASE_URL' }
const CLOSED_SOCKET: Kind = {
  shown: REFUSED.shown,
  remedy: "let the user that runs the service enter the folder of PostgreSQL's socket and use it",
}
const UNENCRYPTED: Kind = {
  shown: REFUSED.shown,
  remedy:
    'it takes no connection without encryption from here: add sslmode=require to DATABASE_URL, which RDS and other managed services want, or a line to pg_hba.conf',
}
const STARTUP_PARAMETER: Kind = {
  shown: REFUSED.shown,
  remedy:
    'a pooler in between does not take a parameter of DATABASE_URL: take it out, and give the role the setting (alter role … set …), or name it in ignore_startup_parameters of PgBouncer',
}
const NOT_TRUSTED: Kind = {
  shown: 'no encrypted connection to the database can be made',
  remedy: 'correct sslmode and sslrootcert of DATABASE_URL, or the certificate of the server',
}
const RESTARTING: Kind = {
  shown: 'the database is starting or stopping',
  remedy: 'it is tried again; if this lasts, read the log of the server',
}
const NO_SLOTS: Kind = {
  shown: 'the database has no free connection slot',
  remedy:
    'raise max_connections of the server (or the limit of the role, database or pooler), or close other clients: this service uses up to 25',
}
const OTHER_TABLES: Kind = {
  shown: 'the database has other tables than this version has left there',
  remedy: 'find out who has changed or dropped them and restore a backup, or index again into an empty schema (SCHEMA)',
}
const OTHER_ROWS: Kind = {
  shown: 'the rows in the database contradict what this service has written',
  remedy: 'find out what else writes its tables, then run npm run db:check, which names the blocks to index again',
}
const MIXED_SESSIONS: Kind = {
  shown: 'a pooler in between gives a session to several clients',
  remedy: 'have it keep a session per client (session pooling), or connect to the server itself',
}
const STATEMENT: Kind = {
  shown: 'the database does not take a statement of this service',
  remedy: 'check that it is PostgreSQL and no product that speaks its protocol; else report the statement, which the log has',
}
const NOT_OFFERED: Kind = {
  shown: 'the database does not offer something that this service uses',
  remedy:
    'its words say what: allow it in the settings of a managed server (an extension: in its list of allowed ones); a product that only speaks the protocol of PostgreSQL may not have it',
}
const ADDED: Kind = {
  shown: 'something that was added to the database refuses a statement of this service',
  remedy: 'find the trigger, rule, function or foreign table by its words, and take it off the tables of this service',
}
const ENDED: Kind = {
  shown: 'the database ends idle sessions or long transactions of this service',
  remedy: 'set idle_session_timeout, idle_in_transaction_session_timeout and transaction_timeout of the role to 0',
}
const LIMIT: Kind = { shown: 'a limit of the database server is reached', remedy: 'raise the limit that its words name' }
const FULL_QUEUE: Kind = {
  shown: 'the queue of notifications of the database server is full',
  remedy: 'all its databases share one: end the session that its log names, which listens and has been in a transaction for long',
}
const OUT_OF_IDS: Kind = {
  shown: 'the database takes no writes until it is vacuumed',
  remedy:
    'end what holds vacuum up (old transactions, prepared ones, replication slots that nobody reads), then run vacuum as a superuser in the database that its words name',
}
const FULL_LOCK_TABLE: Kind = {
  shown: "the database server's table of locks is full",
  remedy: 'raise the setting that its hint names and restart it, or end sessions that lock many tables, such as a dump of all schemas',
}
const IN_USE: Kind = {
  shown: 'something in the database is in use or not ready',
  remedy: 'it is tried again; if this lasts, look for sessions that hold it (pg_locks), and for maintenance under way',
}
const SERVER_FAILS: Kind = {
  shown: 'the database server, or a pooler in between, reports a failure of its own',
  remedy:
    'read its words and its log; poolers and managed servers say so, too, of a user, database or project that is wrong, paused or over its quota',
}
const DAMAGED: Kind = {
  shown: "the database's files are damaged",
  remedy: 'stop writing to it, check its disk and memory, and restore a backup, or index again into another database',
}
const READ_ONLY_DISK: Kind = { shown: "the database's disk is read-only", remedy: 'check the disk of the server and mount it for writing' }

const KIND_BY_CODE: Readonly<Record<string, Kind>> = {
  '25006': {
    shown: 'the database takes no writes',
    remedy:
      'it is tried again, since a failover ends so; if this lasts, point DATABASE_URL to the primary, or turn off default_transaction_read_only',
  },
  '40001': {
    shown: 'the replica has ended a statement to go on with its own work',
    remedy: 'it is tried again; if this lasts, raise max_standby_streaming_delay of the replica, or turn on its hot_standby_feedback',
  },
  '25P03': ENDED,
  '25P04': ENDED,
  '42703': OTHER_TABLES,
  '42704': OTHER_TABLES,
  '42883': OTHER_TABLES,
  '42P01': OTHER_TABLES,
  '42P05': MIXED_SESSIONS,
  '42501': {
    shown: 'the database denies this service a right',
    remedy: 'grant it to the role of DATABASE_URL, or let that role own the tables',
  },
  '53100': { shown: "the database's disk is full", remedy: 'free space on the disk of the server; indexing then goes on by itself' },
  '53200': { shown: 'the database has no memory left', remedy: 'give its server more memory, or lower its work_mem and max_connections' },
  '53300': NO_SLOTS,
  '53400': {
    shown: 'the database limits the temporary files of a statement',
    remedy: 'raise temp_file_limit of its server or of the role, or give the role more work_mem',
  },
  '55P03': BUSY,
  '57014': BUSY,
  '57P04': REFUSED,
  '57P05': ENDED,
  XX001: DAMAGED,
  XX002: DAMAGED,
  ETIMEDOUT: {
    shown: 'the database does not answer',
    remedy: 'its connections are closed and opened anew; if this lasts, check the network, the firewall and the server in between',
  },
}

const DISK: Kind = { shown: "the database's disk fails", remedy: 'read the log of the server and check its disk' }

/** https://www.postgresql.org/docs/current/errcodes-appendix.html. All other classes are those of statements. */
const KIND_BY_CLASS: Readonly<Record<string, Kind>> = {
  '08': LOST,
  '09': ADDED,
  '0A': NOT_OFFERED,
  '21': OTHER_ROWS,
  '22': OTHER_ROWS,
  '23': OTHER_ROWS,
  '26': MIXED_SESSIONS,
  '27': ADDED,
  '28': REFUSED,
  '2F': ADDED,
  '38': ADDED,
  '39': ADDED,
  '3D': REFUSED,
  '3F': OTHER_TABLES,
  '40': BUSY,
  '44': ADDED,
  '53': LIMIT,
  '54': LIMIT,
  '55': IN_USE,
  '57': RESTARTING,
  '58': DISK,
  '72': BUSY,
  F0: SERVER_FAILS,
  HV: ADDED,
  P0: ADDED,
  XX: SERVER_FAILS,
}

/** Kinds that are not known by the code alone. */
const KINDS_BY_TEST: readonly (readonly [isOfKind: (link: object, links: readonly object[]) => boolean, kind: Kind])[] = [
  [isReadOnlyDisk, READ_ONLY_DISK],
  [isTlsError, NOT_TRUSTED],
  [isClosedSocket, CLOSED_SOCKET],
  [isUnencrypted, UNENCRYPTED],
  [isStartupParameter, STARTUP_PARAMETER],
  [isFullQueue, FULL_QUEUE],
  [isOutOfTransactionIds, OUT_OF_IDS],
  [isFullLockTable, FULL_LOCK_TABLE],
  [isUnreachedIpv6, NO_IPV6],
]

/** The message of the pool's error when a connection takes too long. Its cause says only that the connection has ended. */
const LATE_CONNECTION = 'Connection terminated due to connection timeout'

/** The cause in a sentence; `null`: neither the database nor the connection to it has reported the error. */
export function databaseCause(error: unknown): DatabaseCause | null {
  const links = causes(error)
  const fault = databaseFault(error)
  const messages = links.flatMap(link => (link instanceof Error && link.message !== '' ? [link.message] : []))
  const late = messages.find(message => message === LATE_CONNECTION)
  const given = links.flatMap(link => (link instanceof TokenwireError ? [] : (codeOf(link) ?? []))).at(0) ?? null
  const code = given ?? (late === undefined ? null : 'ETIMEDOUT')
  const kind = KINDS_BY_TEST.find(([isOfKind]) => links.some(link => isOfKind(link, links)))?.[1] ?? kindOf(code, fault)
  if (kind === null) return null
  const { shown, remedy } = kind
  const said = late ?? messages.at(-1)
  const hint = links.map(hintOf).find(one => one !== null)
  const quoted = [said, code, hint].filter(part => part !== undefined && part !== null).join(', ')
  return { shown, full: `${shown}: ${remedy}${quoted === '' ? '' : ` (${quoted})`}` }
}

function kindOf(code: string | null, fault: DatabaseFault): Kind | null {
  const sqlClass = sqlClassOf(code)
  const known = code === null ? undefined : (KIND_BY_CODE[code] ?? KIND_BY_CLASS[sqlClass ?? ''])
  if (known !== undefined) return known
  if (sqlClass !== null) return STATEMENT
  switch (fault) {
    case 'unavailable':
      return code === null ? LOST : NOT_THERE
    case 'conflict':
      return BUSY
    case 'exhausted':
      return DISK
    case 'refused':
      return REFUSED
    case 'defect':
      return null
  }
}

export type DatabaseSetting = 'DATABASE_URL' | 'DATABASE_READ_URL' | 'LOGS_FROM'

export interface NamedDatabase {
  readonly url: string
  /** The setting that has the URL. */
  readonly setting: DatabaseSetting
}

/**
 * Why a database can't be used at the start, as an error that names the setting to change, with host and database but without the password:
 * `config_invalid` for what has to be changed first, retryable `database_unavailable` for what may pass.
 */
export function startError(error: unknown, { url, setting }: NamedDatabase): TokenwireError {
  if (error instanceof TokenwireError) return error
  const { host, pathname } = new URL(url)
  const place = `${setting}: at ${host}, database "${decodeURIComponent(pathname.slice(1))}"`
  const cause = databaseCause(error)
  if (cause === null) return new TokenwireError('config_invalid', `${place}: ${reason(error)}`, { cause: error })
  const isRefused = ['refused', 'defect'].includes(databaseFault(error))
  const sentence = `${place}: ${cause.full.replaceAll('DATABASE_URL', setting)}`
  return new TokenwireError(isRefused ? 'config_invalid' : 'database_unavailable', sentence, { retryable: !isRefused, cause: error })
}

/** As `startError`, but a defect of this code stays as it is, with its stack. */
export function toStartError(error: unknown, database: NamedDatabase): unknown {
  return isOfDatabase(error) ? startError(error, database) : error
}

function reason(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  return messageOf(first)
}
