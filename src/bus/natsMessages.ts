import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/tokenSnapshot.ts'
import { type Announcement, announcementOf } from '#store/rows/announcement.ts'

/*
 * What goes over NATS: of each commit first the state of every changed token, under a subject of its own, then the commit. Both are JSON.
 * Subjects have the name of the process that indexes, which no other database has, nor a copy of this one that another process indexes.
 */

export interface CommitMessage extends Announcement {
  /** One more each time: a gap is a lost message. */
  readonly count: number
}

/** Tokens of a commit. More are announced as any. */
export const MAX_NAMED = 10_000
/** 16 trades and 20 holders take some 20 KB. A larger state, of a token whose creator wrote much more, is read from the database. */
export const MAX_STATE_MESSAGE_BYTES = 65_536
/** A server's default for a message. 10,000 addresses take 450 KB. */
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

/** @throws for what is no commit */
export function parseCommitMessage(message: Uint8Array): CommitMessage {
  return commitMessageSchema.parse(parseJson(message, MAX_COMMIT_BYTES))
}

/** What is read before a state reaches its actor, which is replaced when it fails over the rest. */
const stateSchema = z.object({
  token: z.object({ address: z.string(), sequence: whole }),
  recent: z.object({ trades: z.array(z.unknown()) }),
  holders: z.array(z.unknown()),
})

/** @throws for what is no state of the token */
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
