import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'
import { type Announcement, announcementOf } from '#store/rows/announcement.ts'

/*
 * The messages over NATS: for each commit first the state of every changed token, each under a subject of its own, then the commit. All
 * are JSON. Subjects contain the name of the process that indexes. So no other database shares them, nor a copy of this database that
 * another process indexes.
 */

export interface CommitMessage extends Announcement {
  /** Rises by one with each message: a gap means a lost message. */
  readonly count: number
}

/** Most tokens that a commit names. With more, it says that any token may have changed. */
export const MAX_NAMED = 10_000
/** 16 trades and 20 holders take some 20 KB. A larger state, of a token whose creator wrote much more, is read from the database. */
export const MAX_STATE_MESSAGE_BYTES = 65_536
/** The default limit of a NATS server for a message. 10,000 addresses take 450 KB. */
const MAX_COMMIT_BYTES = 1_048_576

export interface Publisher {
  readonly chainId: number
  /** The name under which the process that indexes has claimed the database. */
  readonly writer: string
}

export function commitSubject({ chainId, writer }: Publisher): string {
  return `tokenwire.${chainId}.${writer}.commit`
}

export function tokenSubject({ chainId, writer }: Publisher, token: Address): string {
  return `tokenwire.${chainId}.${writer}.token.${token}`
}

const whole = z.number().int().min(0)
const commitMessageSchema = announcementOf(MAX_NAMED).extend({ count: whole })

/** @throws when the message is no commit */
export function parseCommitMessage(message: Uint8Array): CommitMessage {
  return commitMessageSchema.parse(parseJson(message, MAX_COMMIT_BYTES))
}

/** The fields that are read before a state reaches its actor. An actor that fails because of other fields is replaced. */
const stateSchema = z.object({
  token: z.object({ address: z.string(), sequence: whole }),
  recent: z.object({ trades: z.array(z.unknown()) }),
  holders: z.array(z.unknown()),
})

/** @throws when the message is no state of the token */
export function parseState(message: Uint8Array, token: Address): TokenSnapshot {
  const state = parseJson(message, MAX_STATE_MESSAGE_BYTES)
  const { address } = stateSchema.parse(state).token
  if (address !== token) throw new TypeError(`it is a state of ${address.slice(0, token.length)}`)
  return state as TokenSnapshot
}

function parseJson(message: Uint8Array, maxBytes: number): unknown {
  if (message.length > maxBytes) throw new RangeError(`it has ${message.length} bytes, more than ${maxBytes}`)
  return JSON.parse(Buffer.from(message.buffer, message.byteOffset, message.length).toString())
}
