import process from 'node:process'
import fc from 'fast-check'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { MAX_LIST_MESSAGES, WatchedList } from '#actors/lists.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { StateSubscription } from '#gateway/outbox/eventSubscription.ts'
import { Flusher, Outbox } from '#gateway/outbox/outbox.ts'
import type { Sink, WriteResult, Written } from '#gateway/outbox/outboxSubscription.ts'
import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'

/* A client that merges the changes of a list has the newest list: however slowly it reads, and however often it connects anew. */

interface Message {
  readonly type: 'list' | 'list.delta'
  readonly sequence: number
  readonly base?: number
  readonly data: readonly (number | readonly unknown[])[]
}

const READERS = 2
const reader = fc.nat({ max: READERS - 1 })
/** Tokens in order, with a value each. A long list takes several messages. */
const list = fc.uniqueArray(fc.tuple(fc.nat(60), fc.nat(2)), { selector: ([token]) => token, maxLength: 40, size: 'max' })
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('change' as const), list }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('stall' as const, 'drain' as const, 'cut' as const), reader }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('tick' as const) }) },
)

const RUNS = Number(process.env['DELTA_RUNS'] ?? 100)

it('makes of changes and whole lists the newest list', () => {
  let changes = 0
  const run = (steps: readonly (typeof step extends fc.Arbitrary<infer One> ? One : never)[]) => {
    const stats = new RealtimeStats(() => 0)
    const logger = pino({ enabled: false })
    const flusher = new Flusher({ schedule: () => {}, yieldTo: () => {}, now: () => 0, stats, logger })
    const readers = Array.from({ length: READERS }, () => new Reader(flusher, stats))
    let sequence = MAX_LIST_MESSAGES
    let newest = new WatchedList({ sequence, asOfBlock: '1', rows: [] }, null)
    for (const each of readers) each.subscription.state(newest)
    for (const one of steps) {
      if (one.do === 'tick') flusher.flush()
      else if (one.do === 'change') {
        sequence += MAX_LIST_MESSAGES
        const rows = one.list.map(([token, value]) => JSON.stringify([`0x${token}`, value, 'x'.repeat(600)]))
        newest = new WatchedList({ sequence, asOfBlock: '1', rows }, newest.target)
        for (const each of readers) each.subscription.state(newest)
      } else {
        const each = readers[one.reader]
        each?.[one.do]()
        if (one.do === 'cut') each?.subscription.state(newest.whole)
      }
    }
    flusher.flush()
    for (const each of readers) {
      each.drain()
      flusher.flush()
      expect(each.rows).toEqual(newest.target.rows.map(row => JSON.parse(row) as unknown))
      changes += each.changes
    }
  }
  fc.assert(fc.property(fc.array(step, { minLength: 10, maxLength: 30 }), run), { numRuns: RUNS })
  // It would prove nothing if the readers had been sent whole lists only.
  expect(changes).toBeGreaterThan(RUNS)
})

class Reader implements Sink {
  readonly transport = 'webSocket'
  readonly #flusher: Flusher
  readonly #stats: RealtimeStats
  #outbox: Outbox
  subscription: StateSubscription<WatchedList>
  #unread: Message[] = []
  #isStalled = false
  #sequence = 0
  rows: readonly unknown[] = []
  changes = 0

  constructor(flusher: Flusher, stats: RealtimeStats) {
    this.#flusher = flusher
    this.#stats = stats
    this.#outbox = new Outbox(this, flusher, stats, () => 0)
    this.subscription = this.#subscribe()
  }

  #subscribe() {
    const options = { channel: 'list', id: 'top', client: 'one', takesChanges: true } as const
    return new StateSubscription<WatchedList>(options, this.#outbox, this.#stats)
  }

  /** The connection is lost, with what is under way on it. */
  cut(): void {
    this.subscription.end()
    this.#outbox.close()
    this.#unread = []
    this.#isStalled = false
    this.#outbox = new Outbox(this, this.#flusher, this.#stats, () => 0)
    this.subscription = this.#subscribe()
    this.#sequence = 0
  }

  stall(): void {
    this.#isStalled = true
  }

  drain(): void {
    this.#isStalled = false
    for (const message of this.#unread.splice(0)) this.#receive(message)
    if (this.#outbox.isBlocked) this.#outbox.resume()
  }

  writeFrame({ webSocket }: Written): WriteResult {
    if (this.#isStalled && this.#unread.length > 0) return 'refused'
    expect(Buffer.byteLength(webSocket)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES)
    const message = JSON.parse(webSocket.toString()) as Message
    if (this.#isStalled) this.#unread.push(message)
    else this.#receive(message)
    return this.#isStalled ? 'full' : 'sent'
  }

  #receive({ type, sequence, base, data }: Message): void {
    expect(sequence).toBeGreaterThan(this.#sequence)
    if (type === 'list.delta') {
      this.changes++
      expect(base).toBe(this.#sequence)
    }
    const before = this.rows
    this.rows = data.map(entry => (type === 'list.delta' && typeof entry === 'number' ? before[entry] : entry))
    this.#sequence = sequence
  }

  writeAnswer(): WriteResult {
    return 'sent'
  }

  cork(write: () => void): boolean {
    write()
    return !this.#isStalled
  }

  tooManyAnswers(): void {}
}
