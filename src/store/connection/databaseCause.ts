import { TokenwireError } from '#errors'
import type { DatabaseCause } from '#resources/indexerState.ts'
import { causes, codeOf, databaseFault, isClosedSocket, isReadOnlyDisk, isTlsError } from './databaseErrors.ts'

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
  remedy: 'it is opened anew; if this lasts, check that PostgreSQL runs and can be reached as DATABASE_URL says',
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
  '57P01': RESTARTING,
  '57P02': RESTARTING,
  '57P03': RESTARTING,
  ETIMEDOUT: {
    shown: 'the database does not answer',
    remedy: 'its connections are closed and opened anew; if this lasts, check the network, the firewall and the server in between',
  },
}

/** Kinds that are not known by the code alone. */
const KINDS_BY_TEST: readonly (readonly [isOfKind: (link: object) => boolean, kind: Kind])[] = [
  [isReadOnlyDisk, READ_ONLY_DISK],
  [isTlsError, NOT_TRUSTED],
  [isClosedSocket, CLOSED_SOCKET],
]

/** The message of the pool's error when a connection takes too long. Its cause says only that the connection has ended. */
const LATE_CONNECTION = 'Connection terminated due to connection timeout'

const SERVER_DISK: Kind = { shown: "the database's disk fails", remedy: 'read the log of the server and check its disk' }

/** The cause in a sentence; `null`: the error is a defect, and the database may be well. */
export function databaseCause(error: unknown): DatabaseCause | null {
  const links = causes(error)
  const fault = databaseFault(error)
  if (fault === 'defect') return null
  const messages = links.flatMap(link => (link instanceof Error && link.message !== '' ? [link.message] : []))
  const late = messages.find(message => message === LATE_CONNECTION)
  const given = links.flatMap(link => (link instanceof TokenwireError ? [] : (codeOf(link) ?? []))).at(0) ?? null
  const code = given ?? (late === undefined ? null : 'ETIMEDOUT')
  const { shown, remedy } = KINDS_BY_TEST.find(([isOfKind]) => links.some(isOfKind))?.[1] ?? kindOf(code, fault)
  const said = late ?? messages.at(-1)
  const quoted = [said, code].filter(part => part !== undefined && part !== null).join(', ')
  return { shown, full: `${shown}: ${remedy}${quoted === '' ? '' : ` (${quoted})`}` }
}

function kindOf(code: string | null, fault: Exclude<ReturnType<typeof databaseFault>, 'defect'>): Kind {
  const known = code === null ? undefined : KIND_BY_CODE[code]
  if (known !== undefined) return known
  switch (fault) {
    case 'unavailable':
      return code === null ? LOST : NOT_THERE
    case 'conflict':
      return BUSY
    case 'exhausted':
      return SERVER_DISK
    case 'refused':
      return REFUSED
  }
}
