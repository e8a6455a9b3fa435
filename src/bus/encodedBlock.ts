import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'

/** A committed block as it is handed to the main thread: encoded once, in memory that both threads share. */
export interface EncodedBlock extends Omit<CommittedBlock, 'tokens'> {
  /** The states as JSON in UTF-8, one after another. */
  readonly text: SharedArrayBuffer
  /** Where in `text` the state of each changed token is. */
  readonly states: readonly EncodedState[]
}

export interface EncodedState {
  readonly token: Address
  readonly offset: number
  readonly length: number
}

/** Encodes each state once, into memory that both threads share. */
export function encodeBlock({ tokens, ...block }: CommittedBlock): EncodedBlock {
  const texts = tokens.map(state => Buffer.from(JSON.stringify(state)))
  const text = new SharedArrayBuffer(texts.reduce((sum, { length }) => sum + length, 0))
  const bytes = new Uint8Array(text)
  let offset = 0
  const states = tokens.map(({ token }, index): EncodedState => {
    const one = texts[index] as Buffer
    bytes.set(one, offset)
    offset += one.length
    return { token: token.address, offset: offset - one.length, length: one.length }
  })
  return { ...block, text, states }
}

/** The JSON of one state of a block. */
export function stateText({ text }: EncodedBlock, { offset, length }: EncodedState): string {
  return Buffer.from(text, offset, length).toString()
}

/** The block with the states of these tokens alone: the others are not parsed. */
export function decodeBlock(encoded: EncodedBlock, isWatched: (token: Address) => boolean): CommittedBlock {
  const { text: _, states, ...block } = encoded
  const watched = states.filter(({ token }) => isWatched(token))
  return { ...block, tokens: watched.map(state => JSON.parse(stateText(encoded, state)) as TokenSnapshot) }
}
