import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'

/*
 * Logs of consecutive blocks as bytes: the headers, the different addresses, topics and transactions, and then the logs, which refer to
 * them. Compressed by Zstandard, in a thread of Node's pool.
 */

export interface LogsOfBlocks {
  /** Headers of every block that has logs, and perhaps of others; ascending. */
  readonly headers: readonly BlockHeader[]
  /** Ascending by (block, log index). */
  readonly logs: readonly ChainLog[]
}

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const HASH_BYTES = 32
const ADDRESS_BYTES = 20
const FIRST_BYTES = 1 << 16

export async function packLogs({ headers, logs }: LogsOfBlocks): Promise<Buffer> {
  const out = new ByteWriter()
  out.number(headers.length)
  for (const { number, timestamp, hash, parentHash } of headers) {
    out.number(number)
    out.number(timestamp)
    out.hex(hash)
    out.hex(parentHash)
  }
  const places = new Map(headers.map(({ number }, index) => [number, index]))
  const [addresses, topics, transactions] = [new Dictionary(), new Dictionary(), new Dictionary()]
  for (const log of logs) {
    addresses.add(log.address)
    transactions.add(log.txHash)
    for (const topic of log.topics) topics.add(topic)
  }
  for (const { keys } of [addresses, topics, transactions]) {
    out.number(keys.length)
    for (const key of keys) out.hex(key)
  }
  out.number(logs.length)
  for (const { blockNumber, txHash, txIndex, logIndex, address, topics: own, data } of logs) {
    const place = places.get(blockNumber)
    if (place === undefined) throw new TypeError(`no header for block ${blockNumber}`)
    out.number(place)
    out.number(transactions.add(txHash))
    out.number(txIndex)
    out.number(logIndex)
    out.number(addresses.add(address))
    out.number(own.length)
    for (const topic of own) out.number(topics.add(topic))
    out.number((data.length - 2) / 2)
    out.hex(data)
  }
  return compress(out.bytes())
}

export async function unpackLogs(packed: Buffer): Promise<LogsOfBlocks> {
  const input = new ByteReader(await decompress(packed))
  const many = <T>(read: () => T): readonly T[] => Array.from({ length: input.number() }, read)
  const headers = many((): BlockHeader => {
    const [number, timestamp] = [input.number(), input.number()]
    return { number, timestamp, hash: input.hex(HASH_BYTES), parentHash: input.hex(HASH_BYTES) }
  })
  const addresses = many(() => input.hex(ADDRESS_BYTES) as Address)
  const topics = many(() => input.hex(HASH_BYTES))
  const transactions = many(() => input.hex(HASH_BYTES))
  const logs = many((): ChainLog => {
    const { number: blockNumber, hash: blockHash } = at(headers, input.number())
    const txHash = at(transactions, input.number())
    const [txIndex, logIndex] = [input.number(), input.number()]
    const address = at(addresses, input.number())
    return {
      address,
      topics: many(() => at(topics, input.number())),
      data: input.hex(input.number()),
      blockNumber,
      blockHash,
      txHash,
      txIndex,
      logIndex,
    }
  })
  return { headers, logs }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new TypeError('kept logs are damaged')
  return item
}

/** The distinct keys, in the order in which they were added. */
class Dictionary {
  readonly keys: Hex[] = []
  readonly #places = new Map<Hex, number>()

  /** Adds the key if it is new. @returns its place */
  add(key: Hex): number {
    const known = this.#places.get(key)
    if (known !== undefined) return known
    this.#places.set(key, this.keys.length)
    return this.keys.push(key) - 1
  }
}

/** Numbers are written as LEB128: seven bits a byte, the lowest first. */
class ByteWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0

  number(value: number): void {
    this.#reserve(8)
    let rest = value
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest % 0x80) | 0x80
    this.#bytes[this.#length++] = rest
  }

  hex(hex: Hex): void {
    this.#reserve(hex.length / 2)
    this.#length += this.#bytes.write(hex.slice(2), this.#length, 'hex')
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + count))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  number(): number {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new TypeError('kept logs are damaged')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }

  hex(length: number): Hex {
    const from = this.#at
    this.#at += length
    return `0x${this.#bytes.toString('hex', from, this.#at)}`
  }
}
