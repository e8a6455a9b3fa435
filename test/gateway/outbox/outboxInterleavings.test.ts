import fc from 'fast-check'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Frame } from '#actors/token/frame.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher, Outbox } from '#gateway/outbox/outbox.ts'
import type { OutboxSubscription, Sink, WriteResult, Written } from '#gateway/outbox/outboxSubscription.ts'
import { frameOf, type PlainFrame } from '#test/support/frames.ts'
import { addressOf } from '#test/support/snapshots.ts'

/*
 * Outboxes and the flusher under any order of updates, turns of the event loop, sockets that fill up and drain, and subscriptions that end
 * and begin. Writing takes time on the clock, so that a flush is cut into turns anywhere.
 */

const TOKENS = 3
const CONNECTIONS = 12
/** Two of them are more than a connection writes before the others have their turn. */
const BYTES = new Uint8Array(70_000)

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('commit' as const), token: fc.nat(TOKENS - 1) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('tick' as const, 'turn' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('fill' as const, 'drain' as const, 'rejoin' as const),
        connection: fc.nat(CONNECTIONS - 1),
        token: fc.nat(TOKENS - 1),
      }),
    },
  ),
  { maxLength: 60, size: 'max' },
)

it('give every reader each of its updates once, in rising order, and the newest in the end', () => {
  fc.assert(
    fc.property(steps, plan => {
      for (const { came, offered } of run(plan)) {
        for (let token = 0; token < TOKENS; token++) {
          const sequences = came[token] ?? []
          expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
          expect(sequences.at(-1) ?? 0).toBe(offered[token])
        }
      }
    }),
    { numRuns: 300 },
  )
})

type Step =
  | { readonly do: 'commit'; readonly token: number }
  | { readonly do: 'tick' | 'turn' }
  | { readonly do: 'fill' | 'drain' | 'rejoin'; readonly connection: number; readonly token: number }

function run(plan: readonly Step[]): readonly FakeConnection[] {
  let nowMs = 0
  let sequence = 0
  let ticks: (() => void)[] = []
  let turns: (() => void)[] = []
  const now = () => nowMs
  const stats = new RealtimeStats(now)
  const flusher = new Flusher({
    schedule: flush => ticks.push(flush),
    yieldTo: flush => turns.push(flush),
    now,
    stats,
    logger: pino({ enabled: false }),
  })
  const connections = Array.from({ length: CONNECTIONS }, () => new FakeConnection(flusher, stats, now, () => nowMs++))
  const endTick = () => {
    const due = ticks
    ticks = []
    for (const flush of due) flush()
  }
  const turn = () => {
    endTick()
    const due = turns
    turns = []
    for (const flush of due) flush()
  }
  for (const step of plan) {
    switch (step.do) {
      case 'commit': {
        sequence++
        const frame = frameOf({ token: addressOf(step.token), sequence, completedAtMs: nowMs, webSocket: BYTES, eventStream: BYTES })
        for (const connection of connections) connection.update(step.token, frame)
        break
      }
      case 'tick':
        endTick()
        break
      case 'turn':
        turn()
        break
      case 'fill':
        Object.assign(connections[step.connection] ?? {}, { room: step.token })
        break
      case 'drain':
        connections[step.connection]?.drain()
        break
      case 'rejoin':
        connections[step.connection]?.rejoin(step.token)
        break
    }
    expect(ticks.length + turns.length).toBeLessThanOrEqual(1)
  }
  for (const connection of connections) connection.drain()
  // Each takes out a turn's worth of what is left; a line that never ends would go on for ever.
  for (let left = CONNECTIONS; ticks.length + turns.length > 0; left--) {
    expect(left).toBeGreaterThan(0)
    turn()
  }
  return connections
}

/** A connection with a socket that is full after some writes, and every token's subscription. */
class FakeConnection implements Sink {
  readonly transport = 'webSocket'
  readonly outbox: Outbox
  readonly subscriptions: OutboxSubscription[]
  /** Of each token, since its subscription began: what came, and the newest that was offered. */
  readonly came: number[][] = Array.from({ length: TOKENS }, () => [])
  readonly offered: number[] = Array.from({ length: TOKENS }, () => 0)
  room = Number.POSITIVE_INFINITY
  readonly #write: () => void

  constructor(flusher: Flusher, stats: RealtimeStats, now: () => number, write: () => void) {
    this.#write = write
    this.outbox = new Outbox(this, flusher, stats, now)
    this.subscriptions = Array.from({ length: TOKENS }, (_, token) => this.outbox.subscription(addressOf(token)))
  }

  writeFrame(frame: Written): WriteResult {
    if (this.room < 0) return 'refused'
    this.#write()
    const { token, sequence } = frame as PlainFrame
    this.came[Number(token)]?.push(sequence)
    return this.room-- > 0 ? 'sent' : 'full'
  }

  writeAnswer(): WriteResult {
    return 'sent'
  }

  cork(write: () => void): boolean {
    write()
    return this.room >= 0
  }

  tooManyAnswers(): void {}

  update(token: number, frame: Frame): void {
    this.offered[token] = frame.sequence
    this.subscriptions[token]?.update(frame)
  }

  rejoin(token: number): void {
    this.subscriptions[token]?.end()
    this.subscriptions[token] = this.outbox.subscription(addressOf(token))
    this.came[token] = []
    this.offered[token] = 0
  }

  drain(): void {
    this.room = Number.POSITIVE_INFINITY
    if (this.outbox.isBlocked) this.outbox.resume()
  }
}
