import { expect } from 'vitest'
import type { Registry } from '#actors/registry.ts'
import type { Outbox } from '#gateway/outbox/outbox.ts'
import type { Sink } from '#gateway/outbox/outboxSubscription.ts'
import { applyDelta } from '#protocol/applyDelta.ts'
import { encodeUpdate, type TokenDelta, type TokenUpdate, type UpdatedState } from '#protocol/encodeUpdate.ts'
import { tokenDeltaSchema } from '#protocol/schemas/messages.ts'
import { snapshotWithUsd, type TokenSnapshot } from '#resources/token.ts'
import { TRADED } from '#test/support/tradeChain.ts'
import { StallingClient } from './stallingClient.ts'

type HeldState = Pick<UpdatedState, 'sequence' | 'token' | 'latestTrade' | 'holders'>

const textOf = ({ token, latestTrade, holders }: Omit<HeldState, 'sequence'>) => JSON.stringify([token, latestTrade, holders])

/** Prices of ether. A gateway that lags encodes a state with a later price than others did. */
export const PRICES = ['3000', '3100', null] as const

/** All states of a token that a client may hold, as text. */
export class TokenStates {
  ethUsd: string | null = '3000'
  readonly #states = new Map<number, Set<string>>()

  /** Call it after each change of the token. */
  note(snapshot: TokenSnapshot): void {
    const updates = PRICES.map(price => encodeUpdate(snapshotWithUsd(snapshot, price)).update)
    const states = updates.flatMap(update => [textOf(update), textOf({ ...update, holders: [] })])
    this.#states.set(snapshot.token.sequence, new Set(states))
  }

  has(state: HeldState): boolean {
    return this.#states.get(state.sequence)?.has(textOf(state)) === true
  }
}

type Message = TokenUpdate | TokenDelta

/** A client that asks for deltas or not, and fails where they make no state that the token has had. */
export class DeltaClient extends StallingClient<Message> {
  readonly #truth: TokenStates
  state: HeldState | null = null
  deltas = 0
  #withDeltas = true
  /** The sequence that this connection was sent last, as long as all was sent with deltas. */
  #sent: number | null = null

  constructor(connect: (sink: Sink) => Outbox, truth: TokenStates) {
    super(connect)
    this.#truth = truth
  }

  override cut(registry: Registry): void {
    super.cut(registry)
    this.#sent = null
  }

  join(registry: Registry, { holders = true, deltas = true, isFresh = false } = {}): void {
    this.#withDeltas = deltas
    this.subscription.wantHolders(holders)
    this.subscription.wantDeltas(deltas)
    this.subscription.asked(undefined, false)
    registry.subscribe(TRADED, this.subscription, isFresh ? null : (this.state?.sequence ?? null))
  }

  override taken(message: Message): void {
    if (message.type === 'token.delta') {
      expect(this.#withDeltas).toBe(true)
      expect(message.base).toBe(this.#sent)
      expect(message.sequence).toBeGreaterThan(message.base)
      tokenDeltaSchema.parse(message)
    }
    this.#sent = message.sequence
  }

  receive(message: Message): void {
    if (message.type === 'token.delta') this.deltas++
    if (message.type === 'token.update') this.state = message
    else if (this.state === null) throw new Error('a delta without a state before it')
    else this.state = { ...(applyDelta(this.state, message) as HeldState), sequence: message.sequence }
    expect(this.#truth.has(this.state)).toBe(true)
  }
}
