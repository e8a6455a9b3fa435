import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { withDatabase } from '#benchmarks/service/databaseServer.ts'
import type { MeasuredService } from '#benchmarks/service/measuredService.ts'
import type { Address } from '#domain/address.ts'
import type { Trade } from '#resources/trades.ts'
import type { Receiver } from '#test/jobs/webhooks/receiver.ts'

export interface TradedToken {
  /** On the chain of the benchmark. */
  readonly index: number
  readonly address: Address
  /** In WETH, before the measured blocks. */
  readonly price: number
}

export interface PriceBound {
  readonly token: Address
  readonly side: 'above' | 'below'
  /** A price in WETH, as a decimal. */
  readonly value: string
}

/** By the webhook's name: the ids of trades, or the prices after each crossing, in order. */
export type EventsByWebhook = ReadonlyMap<string, readonly string[]>

const POLL_MS = 20
const TIMEOUT_MS = 60_000

/** Waits until the positions of so many webhooks are stored, from which on they lose nothing. */
export function started(databaseUrl: string, count: number): Promise<void> {
  return withDatabase(databaseUrl, async db => {
    await until(async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::integer as count from webhook_position`.execute(db)
      return rows[0]?.count === count
    }, 'the webhooks did not start')
  })
}

export interface Expected {
  readonly service: MeasuredService
  /** The newest block before the webhooks. */
  readonly after: number
  readonly traded: readonly TradedToken[]
  /** Those of the webhooks of crossings, in the order of their names. */
  readonly bounds: readonly PriceBound[]
}

/** What the webhooks are due, from the trades that REST shows: each block has one trade of each token. */
export async function eventsDue({ service, after, traded, bounds }: Expected): Promise<EventsByWebhook> {
  const due = new Map<string, readonly string[]>()
  for (const { address, price } of traded) {
    const { data } = (await service.json(`/api/tokens/${address}/trades?limit=100`)) as { readonly data: readonly Trade[] }
    const trades = data.filter(({ blockNumber }) => Number(blockNumber) > after).toReversed()
    due.set(
      `trades-${address}`,
      trades.map(({ id }) => id),
    )
    for (const [number, bound] of bounds.entries()) {
      if (bound.token === address) due.set(`crossings-${number}`, crossingsOf(bound, price, trades))
    }
  }
  return due
}

function crossingsOf({ side, value }: PriceBound, first: number, trades: readonly Trade[]): readonly string[] {
  const isBeyond = (price: number) => (side === 'above' ? price > Number(value) : price < Number(value))
  let price = first
  return trades.flatMap(({ priceAfterWeth: after }) => {
    if (after === null) throw new Error('a trade has no price')
    const before = price
    price = Number(after)
    return !isBeyond(before) && isBeyond(price) ? [after] : []
  })
}

/** Waits for the events. @throws `Error` when one is missing, comes twice, or not in order */
export async function expectEvents(receiver: Receiver, due: EventsByWebhook): Promise<void> {
  const countOf = (all: Iterable<readonly unknown[]>) => [...all].reduce((sum, events) => sum + events.length, 0)
  const total = countOf(due.values())
  await until(() => countOf(receiver.deliveries.map(({ message }) => message.data ?? [])) >= total, null)
  for (const [name, events] of due) {
    const received = receiver.deliveries
      .filter(({ message }) => message.id === name)
      .flatMap(({ message }) => (message.data ?? []).map(event => event['id'] ?? event['after']))
    if (!isDeepStrictEqual(received, events)) throw new Error(`the webhook ${name} had ${received.join()}, not ${events.join()}`)
  }
}

/** @param failure `null`: what is missing when the time is up is seen by the caller */
async function until(isDone: () => boolean | Promise<boolean>, failure: string | null): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  while (!(await isDone())) {
    if (performance.now() > deadline) {
      if (failure === null) return
      throw new Error(failure)
    }
    await pause(POLL_MS)
  }
}
