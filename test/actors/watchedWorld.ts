import fc from 'fast-check'
import { expect } from 'vitest'
import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { blockOf, RecordingSubscription, RegistryFixture, settle } from '#test/support/actors.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

export const TOKENS = [addressOf(1), addressOf(2)]
export const SUBSCRIBERS = 4

export type Step =
  | { readonly do: 'commit' | 'deliver' | 'lose' | 'answerLoad' | 'failLoad' | 'sweep' | 'resync' | 'breakPrice' | 'mendPrice' }
  | { readonly do: 'join' | 'leave'; readonly subscriber: number; readonly held: 'none' | 'older' | 'current' }

export const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('commit' as const, 'deliver' as const), token: fc.nat(1) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('join' as const, 'leave' as const),
        token: fc.nat(1),
        subscriber: fc.nat(SUBSCRIBERS - 1),
        held: fc.constantFrom('none' as const, 'older' as const, 'current' as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constantFrom('answerLoad' as const, 'failLoad' as const, 'sweep' as const), token: fc.nat(1) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom('lose' as const, 'resync' as const, 'breakPrice' as const, 'mendPrice' as const),
        token: fc.nat(1),
      }),
    },
  ),
  { maxLength: 40, size: 'max' },
)

/** What one subscriber may expect of one token. */
class Watcher {
  subscription = new RecordingSubscription()
  joined = false
  asked = 0
  /** The largest sequence that it said it holds when it joined. */
  held: number | null = null

  /** A connection makes a new subscription after it has left. */
  join(held: number | null): void {
    if (!this.joined) {
      this.subscription = new RecordingSubscription()
      this.joined = true
      this.asked = 0
      this.held = null
    }
    this.asked++
    if (held !== null) this.held = Math.max(held, this.held ?? 0)
  }

  /** The newest sequence that it has. */
  get has(): number | null {
    return this.subscription.frames.at(-1)?.sequence ?? null
  }

  check(): void {
    const { calls } = this.subscription
    if (calls.length === 0) return
    expect(calls[0]?.type).toBe('subscribed')
    let newest: number | null = null
    for (const { sequence } of calls) {
      if (sequence === null) expect(newest).toBeNull()
      else {
        expect(sequence).toBeGreaterThanOrEqual(newest ?? 0)
        newest = sequence
      }
    }
    expect(calls.filter(call => call.type === 'subscribed').length).toBeLessThanOrEqual(this.asked)
  }
}

export class World {
  readonly fixture = new RegistryFixture()
  readonly undelivered: TokenSnapshot[] = []
  readonly watchers = new Map<Address, readonly Watcher[]>(
    TOKENS.map(token => [token, Array.from({ length: SUBSCRIBERS }, () => new Watcher())]),
  )
  sequence = 0
  brokenPrice = false

  constructor() {
    this.fixture.ethUsd = () => {
      if (this.brokenPrice) throw new Error('a defect in an action')
      return '3000'
    }
  }

  stored(token: Address): number | null {
    return this.fixture.history.stored.get(token)?.token.sequence ?? null
  }

  async take(step: Step, token: Address): Promise<void> {
    const { history, registry } = this.fixture
    switch (step.do) {
      case 'commit':
        this.undelivered.push(history.store(snapshotOf(token, ++this.sequence)))
        break
      case 'deliver':
        this.deliver()
        break
      case 'lose':
        // The indexer lost its place: what was committed is in the database, no message told of it, and everything is read anew.
        this.undelivered.length = 0
        registry.dispatch({ ...blockOf(), unread: [...history.stored.keys()] })
        break
      case 'resync':
        registry.dispatch({ ...blockOf(), unread: [...history.stored.keys()] })
        break
      case 'answerLoad':
        await settle()
        history.pending[0]?.resolve()
        await settle()
        break
      case 'failLoad':
        await settle()
        history.pending.at(-1)?.reject()
        await settle()
        break
      case 'sweep':
        this.fixture.sweep()
        break
      case 'breakPrice':
        this.brokenPrice = true
        break
      case 'mendPrice':
        this.brokenPrice = false
        break
      case 'join':
        this.join(step, token)
        break
      case 'leave':
        this.leave(token, step.subscriber)
        break
    }
  }

  deliver(): void {
    const next = this.undelivered.shift()
    if (next !== undefined) this.fixture.registry.dispatch(blockOf(next))
  }

  join(step: Extract<Step, { do: 'join' | 'leave' }>, token: Address): void {
    const watcher = this.watchers.get(token)?.[step.subscriber]
    if (watcher === undefined) return
    const current = this.stored(token)
    const held = step.held === 'none' || current === null ? null : step.held === 'current' ? current : current - 1
    watcher.join(held)
    this.fixture.registry.subscribe(token, watcher.subscription, held)
  }

  leave(token: Address, subscriber: number): void {
    const watcher = this.watchers.get(token)?.[subscriber]
    if (watcher?.joined !== true) return
    watcher.joined = false
    this.fixture.registry.unsubscribe(token, watcher.subscription)
  }

  async calm(): Promise<void> {
    this.brokenPrice = false
    while (this.undelivered.length > 0) this.deliver()
    for (let round = 0; round < 4; round++) {
      await this.fixture.answerLoads()
      this.fixture.sweep(1, 60_000)
    }
    await this.fixture.answerLoads()
  }
}
