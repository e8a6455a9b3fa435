import { sql } from 'kysely'
import { afterEach, beforeEach, expect } from 'vitest'
import { EventFilter, type EventFilters } from '#actors/events/eventFilter.ts'
import type { WebhookConfig } from '#config'
import { createRandom } from '#devchain/traders/random.ts'
import { FETCH_LIMITS, publicOutbound } from '#jobs/metadata/outbound.ts'
import { postWebhook } from '#jobs/webhooks/postWebhook.ts'
import { createWebhooks, type Webhooks, type WebhooksOptions } from '#jobs/webhooks/webhooks.ts'
import { readChannelEvents } from '#store/reads/channelEvents.ts'
import { readWebhooks } from '#store/rows/webhookPositions.ts'
import { silentLogger, type TestDatabase, useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { createForkingChain, type ForkingChain } from '#test/support/forkingChain.ts'
import { commitBlocks, type OpenedIndex, openIndex, replaceWith, wholeBlock } from '#test/support/simulatedIndex.ts'
import { type Delivery, Receiver } from './receiver.ts'

/* An index of a simulated chain, and a receiver of its webhooks. */

let kysely: TestDatabase['kysely']
let forking: ForkingChain
let index: OpenedIndex
/** The newest block that is committed. */
export let indexed: number
export let receiver: Receiver
export let started: Webhooks[]

/** New ones for each test of the calling file. */
export async function useHookedIndex(): Promise<TestDatabase> {
  const database = await useDatabase()
  kysely = database.kysely
  beforeEach(async () => {
    await database.clear()
    forking = createForkingChain(createRandom(7), 64)
    index = await openIndex(database, { genesisHash: forking.chain.at(0).header.hash, maxReorgDepth: 64 })
    receiver = await new Receiver().open()
    started = []
    indexed = 0
  })
  afterEach(async () => {
    for (const webhooks of started) await webhooks.stop()
    await receiver.close()
  })
  return database
}

/** Commits blocks, at first some that may replace others. */
export async function grow(blocks: number, replaced = 0): Promise<void> {
  const head = forking.chain.head().header.number
  if (replaced > 0 && head > replaced) {
    const [first] = forking.fork(replaced, 1).dropped
    const ancestor = (first?.header.number ?? 0) - 1
    const numbers = Array.from({ length: forking.chain.head().header.number - ancestor }, (_, above) => ancestor + 1 + above)
    await replaceWith(index, {
      ancestor: forking.chain.at(ancestor).header,
      batches: numbers.map(number => wholeBlock(forking.chain.at(number))),
    })
  }
  const from = forking.chain.head().header.number
  forking.mine(blocks)
  for (let number = from + 1; number <= forking.chain.head().header.number; number++) {
    await commitBlocks(index, forking.chain.at(number))
    indexed = number
  }
}

export const HOUR = 3_600_000

/** Posts to receivers that answer within this time. */
export function postWithin(firstByteMs: number): WebhooksOptions['post'] {
  const outbound = { ...publicOutbound(), limits: { ...FETCH_LIMITS, firstByteMs } }
  return (config, message, signal) => postWebhook(config, message, { outbound, allowPrivate: true, epochMs: Date.now }, signal)
}

/** Sends until it is stopped. The pauses of production are milliseconds here. */
export function start(
  hooks: readonly (readonly [config: WebhookConfig, filters?: EventFilters])[],
  changed: Partial<WebhooksOptions> = {},
) {
  const webhooks = createWebhooks({
    db: kysely,
    read: query => readChannelEvents(kysely, query, 1),
    ethUsd: () => null,
    post: postWithin(FETCH_LIMITS.firstByteMs),
    random: Math.random,
    retries: { firstMs: 1, mostMs: 10, patienceMs: 72 * HOUR },
    isServed: async () => true,
    followed: () => indexed,
    now: () => performance.now(),
    logger: silentLogger,
    schedule: look => {
      const timer = setInterval(look, 20)
      return () => clearInterval(timer)
    },
    ...changed,
  })
  started.push(webhooks)
  webhooks.replace(hooks.map(([config, filters = {}]) => ({ config, filter: new EventFilter(filters) })))
  return webhooks
}

export const stateOf = async (name: string) => (await readWebhooks(kysely)).find(one => one.name === name)
export const begun = (name: string) => eventually(async () => (await stateOf(name)) !== undefined)

export async function storedTrades(): Promise<readonly string[]> {
  const { rows } = await sql<{
    id: string
    hash: string
  }>`select block_number || '-' || log_index as id, '0x' || encode(block_hash, 'hex') as hash
    from trade order by block_number, log_index`.execute(kysely)
  return rows.map(({ id, hash }) => `${id} ${hash}`)
}

/** What a receiver holds that ignores repeated ids and obeys reorgs; and that each id has one meaning, and each event one id. */
export function heldBy(deliveries: readonly Delivery[]): readonly string[] {
  const meanings = new Map<string, string>()
  const ids = new Map<string, string>()
  let held: { readonly block: number; readonly line: string }[] = []
  for (const { id, message } of deliveries) {
    const { type, cursor, fromBlock, data = [] } = message
    const lines = data.map(trade => `${String(trade['id'])} ${String(trade['blockHash'])}`)
    const meaning = [type, cursor, fromBlock, ...lines].join(' ')
    if (meanings.has(id)) expect(meanings.get(id)).toBe(meaning)
    for (const line of lines) {
      if (ids.has(line)) expect([line, ids.get(line)]).toEqual([line, id])
      ids.set(line, id)
    }
    if (meanings.has(id)) continue
    meanings.set(id, meaning)
    if (type === 'reorg') held = held.filter(({ block }) => block < Number(fromBlock))
    else held.push(...lines.map(line => ({ block: Number(line.split('-')[0]), line })))
  }
  return held.map(({ line }) => line)
}
