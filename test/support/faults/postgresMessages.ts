/*
 * The part of PostgreSQL's wire protocol that a proxy needs to find the end and the kind of a request.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */

/** The messages that a client sends before it waits for an answer. */
export interface Request {
  /** `protocol`: start-up, passwords, the end. */
  readonly kind: 'begin' | 'commit' | 'rollback' | 'statement' | 'protocol'
  /** Empty for `protocol`. */
  readonly sql: string
  readonly bytes: Buffer
}

const HEADER_BYTES = 5
const [QUERY, PARSE, BIND, DESCRIBE, EXECUTE, CLOSE, SYNC, READY] = [...'QPBDECSZ'].map(letter => letter.charCodeAt(0))
const UNTIL_SYNC = new Set([PARSE, BIND, DESCRIBE, EXECUTE, CLOSE])

/** Splits a stream of chunks into messages. One parser for each direction of a connection. */
export class MessageReader {
  /** A client's first message has no type. */
  private started: boolean
  private rest: Buffer = Buffer.alloc(0)
  private waiting: Buffer[] = []
  /** The texts of prepared statements, by name. */
  private readonly prepared = new Map<string, string>()

  constructor({ started = false }: { readonly started?: boolean } = {}) {
    this.started = started
  }

  *messages(chunk: Buffer): Generator<Buffer> {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    for (;;) {
      const typed = this.started ? 1 : 0
      if (this.rest.length < typed + 4) return
      const length = typed + this.rest.readUInt32BE(typed)
      if (this.rest.length < length) return
      const message = this.rest.subarray(0, length)
      this.rest = this.rest.subarray(length)
      yield message
      this.started = true
    }
  }

  /** The client's requests: simple queries, and the messages of an extended query up to its `Sync`. */
  *requests(chunk: Buffer): Generator<Request> {
    for (const message of this.messages(chunk)) {
      const type = this.started ? message[0] : undefined
      if (type === QUERY) yield toRequest(textOf(message, HEADER_BYTES), message)
      else if (type !== undefined && UNTIL_SYNC.has(type)) this.waiting.push(message)
      else if (type === SYNC) {
        const parts = this.waiting.splice(0)
        yield toRequest(this.statementOf(parts), Buffer.concat([...parts, message]))
      } else yield { kind: 'protocol', sql: '', bytes: message }
    }
  }

  /** The text of an extended query: its own, or that of the prepared statement that it binds. */
  private statementOf(parts: readonly Buffer[]): string {
    const parse = parts.find(part => part[0] === PARSE)
    if (parse !== undefined) this.prepared.set(textOf(parse, HEADER_BYTES), textOf(parse, parse.indexOf(0, HEADER_BYTES) + 1))
    const bind = parts.find(part => part[0] === BIND)
    return bind === undefined ? '' : (this.prepared.get(textOf(bind, bind.indexOf(0, HEADER_BYTES) + 1)) ?? '')
  }
}

export function isReady(message: Buffer): boolean {
  return message[0] === READY
}

export const ROLLBACK = typed('Q', Buffer.from('rollback\0'))
export const FAILING = typed('Q', Buffer.from('select 1 / 0\0'))

export function errorResponse(severity: 'ERROR' | 'FATAL', sqlState: string, message: string): Buffer {
  return typed('E', Buffer.from(`S${severity}\0V${severity}\0C${sqlState}\0M${message}\0\0`))
}

function typed(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write(type)
  header.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

function toRequest(sql: string, bytes: Buffer): Request {
  const word = /^\s*(begin|commit|rollback|start transaction)\b(?!\s+to)/i.exec(sql)?.[1]?.toLowerCase()
  const kind = word === undefined ? 'statement' : word === 'start transaction' ? 'begin' : (word as 'begin' | 'commit' | 'rollback')
  return { kind, sql, bytes }
}

function textOf(message: Buffer, from: number): string {
  return message.toString('utf8', from, message.indexOf(0, from))
}
