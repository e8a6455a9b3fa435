import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'
import { tokenUpdateSchema } from '#protocol/messages.ts'
import { feedPosition, feedToken } from './feed.ts'
import type { Expectation } from './loadCalls.ts'
import { sequenceOf } from './updatePrefix.ts'

/** The faults that are told: one defect makes thousands. */
const MAX_FAULTS = 5

/** The first copy of each update, which every other one has to equal, from whatever server it comes. */
export type FirstCopies = Map<number, Buffer>

/** What comes to the connections of one arm, checked against what is expected. */
export class Reception {
  readonly atMs: Float64Array
  readonly complete: Promise<void>
  largestBytes = 0
  readonly #expected: Expectation
  readonly #connections: number
  readonly #copies: FirstCopies
  readonly #faults: string[] = []
  #missing: number
  #completed = () => {}

  constructor(expected: Expectation, connections: number, copies: FirstCopies) {
    this.#expected = expected
    this.#connections = connections
    this.#copies = copies
    this.#missing = expected.blocks * expected.tokens * connections
    this.atMs = new Float64Array(this.#missing)
    this.complete = new Promise(resolve => {
      this.#completed = resolve
    })
  }

  /** @param newest the newest sequence that the connection has of each token; brought up to date */
  take(message: Buffer, receivedAtMs: number, connection: number, newest: Float64Array): void {
    const sequence = sequenceOf(message)
    if (sequence === null) return this.#fault(`not an update: ${message.toString('utf8', 0, 80)}`)
    const { block, token } = feedPosition(sequence)
    const { firstBlock, blocks, tokens } = this.#expected
    if (block < firstBlock || block >= firstBlock + blocks || token >= tokens) return this.#fault(`nobody sent ${sequence}`)
    if (sequence <= (newest[token] ?? 0)) return this.#fault(`${sequence} came after ${newest[token]}`)
    newest[token] = sequence
    const copy = this.#copies.get(sequence)
    if (copy === undefined) this.#copies.set(sequence, Buffer.from(message))
    else if (!copy.equals(message)) return this.#fault(`copies of ${sequence} differ`)
    this.largestBytes = Math.max(this.largestBytes, message.length)
    this.atMs[((block - firstBlock) * tokens + token) * this.#connections + connection] = receivedAtMs
    this.#missing--
    if (this.#missing === 0) this.#completed()
  }

  /** @throws `Error` with what is wrong, the first few faults of it */
  check(): void {
    if (this.#missing > 0) this.#fault(`${this.#missing} updates did not come`)
    if (this.largestBytes > MAX_MESSAGE_BYTES) this.#fault(`a message of ${this.largestBytes} bytes passes ${MAX_MESSAGE_BYTES}`)
    for (const [sequence, copy] of this.#copies) {
      const update = tokenUpdateSchema.parse(JSON.parse(copy.toString()))
      if (update.sequence !== sequence) this.#fault(`${sequence} says it is ${update.sequence}`)
      if (update.token.address !== feedToken(feedPosition(sequence).token)) this.#fault(`${sequence} is of ${update.token.address}`)
    }
    if (this.#faults.length > 0) throw new Error(`${this.#expected.arm}: ${this.#faults.join('; ')}`)
  }

  #fault(fault: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(fault)
  }
}
