import type { Buffer } from 'node:buffer'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, JsonText, OPEN_LIST, OPEN_OBJECT, QUOTE, skipSpace, skipValue } from '#rpc/jsonText.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { endOfHex, HexTexts, isSame, readHexNumber, sliceHex } from './hexBytes.ts'
import type { LogTest } from './logFilter.ts'

const ADDRESS_LENGTH = 42
const HASH_LENGTH = 66
const MOST_QUANTITY_DIGITS = 14
const MOST_TOPICS = 4

const topics = new HexTexts()
const addresses = new HexTexts()

/**
 * Reads the answer to `eth_getLogs`: from its text, in place, or made to text again where a client has parsed it.
 *
 * @throws `RpcError` `garbled` for anything that is no list of logs, `inconsistent` for a log that is marked as removed
 */
export function parseLogs(raw: unknown): ChainLog[] {
  return parseSomeLogs(raw, () => true).logs
}

/**
 * Reads those of the logs that are wanted, by their address and topics; of the others nothing is kept.
 *
 * @throws as `parseLogs`
 */
export function parseSomeLogs(raw: unknown, isWanted: LogTest): { readonly logs: ChainLog[]; readonly all: number } {
  const { bytes, from, to } = raw instanceof JsonText ? raw : JsonText.of(raw)
  const reader = new LogReader(bytes)
  try {
    return reader.logs(skipSpace(bytes, from), to, isWanted)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new RpcError({ kind: 'garbled', what: `logs: ${error.message}` })
  }
}

type Field = Exclude<keyof ChainLog, 'txHash' | 'txIndex'> | 'transactionHash' | 'transactionIndex' | 'removed'

type Draft = { -readonly [Name in keyof ChainLog]: ChainLog[Name] | undefined }

/** Goes through the text once; `#at` is the next byte. Closures and objects that it does without are what makes it quick. */
class LogReader {
  readonly #bytes: Buffer
  #at = 0
  /** Where the last log's hashes stand and what they say: a block's and a transaction's logs follow each other. */
  readonly #lastHash = { block: { at: -1, hash: '0x' as Hex }, transaction: { at: -1, hash: '0x' as Hex } }

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  logs(from: number, to: number, isWanted: LogTest): { readonly logs: ChainLog[]; readonly all: number } {
    const logs: ChainLog[] = []
    let all = 0
    this.#at = from
    if (this.#bytes[from] !== OPEN_LIST) throw garbled('logs: not a list')
    for (let more = this.#opens(CLOSE_LIST); more; more = this.#goesOn(CLOSE_LIST)) {
      const log = this.#log()
      all++
      if (isWanted(log.address, position => log.topics[position])) logs.push(log)
    }
    if (skipSpace(this.#bytes, this.#at) !== to) throw garbled('logs: not a list')
    return { logs, all }
  }

  /** Past an opening bracket. @returns false, past the closing one, when there is nothing between them */
  #opens(close: number): boolean {
    this.#skip(1)
    if (this.#bytes[this.#at] !== close) return true
    this.#at++
    return false
  }

  /** Past what comes after a part: a comma, or the closing bracket, for which it returns false. */
  #goesOn(close: number): boolean {
    this.#skip(0)
    const byte = this.#bytes[this.#at]
    if (byte !== COMMA && byte !== close) throw garbled('logs: not JSON')
    if (byte === close) this.#at++
    else this.#skip(1)
    return byte === COMMA
  }

  #skip(count: number): void {
    this.#at = skipSpace(this.#bytes, this.#at + count)
  }

  #log(): ChainLog {
    if (this.#bytes[this.#at] !== OPEN_OBJECT) throw garbled('log: not an object')
    const draft: Draft = {
      address: undefined,
      topics: undefined,
      data: undefined,
      blockNumber: undefined,
      blockHash: undefined,
      txHash: undefined,
      txIndex: undefined,
      logIndex: undefined,
    }
    for (let more = this.#opens(CLOSE_OBJECT); more; more = this.#goesOn(CLOSE_OBJECT)) this.#member(draft)
    return complete(draft)
  }

  #member(draft: Draft): void {
    switch (this.#name()) {
      case 'address':
        draft.address = this.#kept(addresses, ADDRESS_LENGTH, 'log: address') as Address
        return
      case 'topics':
        draft.topics = this.#topics()
        return
      case 'data':
        draft.data = this.#data()
        return
      case 'blockHash':
        draft.blockHash = this.#hash(this.#lastHash.block, 'log: blockHash')
        return
      case 'transactionHash':
        draft.txHash = this.#hash(this.#lastHash.transaction, 'log: transactionHash')
        return
      case 'blockNumber':
        draft.blockNumber = this.#quantity('log: blockNumber')
        return
      case 'transactionIndex':
        draft.txIndex = this.#quantity('log: transactionIndex')
        return
      case 'logIndex':
        draft.logIndex = this.#quantity('log: logIndex')
        return
      case 'removed':
        if (this.#other() === true) throw new RpcError({ kind: 'inconsistent', what: 'a log is marked as removed' })
        return
      case null:
        this.#other()
    }
  }

  /** Past a value that is no hex. @returns what it is, where that is not a text */
  #other(): unknown {
    const from = this.#at
    if (isText(this.#bytes, from, 'false')) {
      this.#at += 'false'.length
      return false
    }
    this.#at = skipValue(this.#bytes, from)
    return this.#bytes[from] === QUOTE ? undefined : new JsonText(this.#bytes, from, this.#at).parse()
  }

  /** The member's name, when it is one that matters; then its value is next. */
  #name(): Field | null {
    const from = this.#at
    this.#at = skipValue(this.#bytes, from)
    const named = candidateOf(this.#at - from - 2, this.#bytes[from + 1])
    const isIt = named !== null && isText(this.#bytes, from + 1, named)
    this.#skip(0)
    if (this.#bytes[this.#at] !== COLON) throw garbled('logs: not JSON')
    this.#skip(1)
    return isIt ? named : null
  }

  /** Past a string of hex. @returns where it ends; it begins after the quote that was next */
  #hex(what: string): number {
    const end = this.#bytes[this.#at] === QUOTE ? endOfHex(this.#bytes, this.#at + 1) : -1
    if (end === -1 || this.#bytes[end] !== QUOTE) throw garbled(what)
    this.#at = end + 1
    return end
  }

  #kept(texts: HexTexts, length: number, what: string): Hex {
    const from = this.#at + 1
    const to = from + length
    const known = this.#bytes[to] === QUOTE && this.#bytes[from - 1] === QUOTE ? texts.find(this.#bytes, from, to) : undefined
    if (known === undefined) return texts.keep(this.#bytes, to, this.#exact(length, what))
    this.#at = to + 1
    return known
  }

  #exact(length: number, what: string): Hex {
    const from = this.#at + 1
    const to = this.#hex(what)
    if (to - from !== length) throw garbled(what)
    return sliceHex(this.#bytes, from, to)
  }

  #hash(last: { at: number; hash: Hex }, what: string): Hex {
    const { at } = last
    // With its quotes.
    if (at !== -1 && isSame(this.#bytes, at, this.#at, HASH_LENGTH + 2)) this.#at += HASH_LENGTH + 2
    else {
      last.at = this.#at
      last.hash = this.#exact(HASH_LENGTH, what)
    }
    return last.hash
  }

  #topics(): readonly Hex[] {
    const found: Hex[] = []
    if (this.#bytes[this.#at] !== OPEN_LIST) throw garbled('log: topics')
    for (let more = this.#opens(CLOSE_LIST); more; more = this.#goesOn(CLOSE_LIST))
      found.push(this.#kept(topics, HASH_LENGTH, 'log: topic'))
    if (found.length > MOST_TOPICS) throw garbled('log: topics')
    return found
  }

  #data(): Hex {
    const from = this.#at + 1
    const to = this.#hex('log: data')
    if ((to - from) % 2 !== 0) throw garbled('log: data')
    return sliceHex(this.#bytes, from, to)
  }

  #quantity(what: string): number {
    const from = this.#at + 1
    const to = this.#hex(what)
    const digits = to - from - 2
    const value = readHexNumber(this.#bytes, from, to)
    if (digits === 0 || digits > MOST_QUANTITY_DIGITS || !Number.isSafeInteger(value)) throw garbled(what)
    return value
  }
}

function complete(draft: Draft): ChainLog {
  const { address, topics, data, blockNumber, blockHash, txHash, txIndex, logIndex } = draft
  if (address === undefined) throw garbled('log: address')
  if (topics === undefined) throw garbled('log: topics')
  if (data === undefined) throw garbled('log: data')
  if (blockNumber === undefined) throw garbled('log: blockNumber')
  if (blockHash === undefined) throw garbled('log: blockHash')
  if (txHash === undefined) throw garbled('log: transactionHash')
  if (txIndex === undefined) throw garbled('log: transactionIndex')
  if (logIndex === undefined) throw garbled('log: logIndex')
  return draft as ChainLog
}

/** The one name of that length and first letter. */
function candidateOf(length: number, first: number | undefined): Field | null {
  switch (length) {
    case 4:
      return 'data'
    case 6:
      return 'topics'
    case 7:
      return first === LETTER_A ? 'address' : 'removed'
    case 8:
      return 'logIndex'
    case 9:
      return 'blockHash'
    case 11:
      return 'blockNumber'
    case 15:
      return 'transactionHash'
    case 16:
      return 'transactionIndex'
    default:
      return null
  }
}

const LETTER_A = 0x61

function isText(bytes: Buffer, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

function garbled(what: string): RpcError {
  return new RpcError({ kind: 'garbled', what })
}
