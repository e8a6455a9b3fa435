import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { formatDecimal } from '#domain/decimal.ts'
import { FIRST_PLACE } from '#domain/eventPlace.ts'
import { createStepJob } from '#jobs/commitJob.ts'
import { CROSSED_VALUES } from '#resources/channelEvent.ts'
import { createTransaction, oneAtATime } from '#store/connection/transaction.ts'
import { readChannelEvents } from '#store/reads/channelEvents.ts'
import { dropValueChanges, KEPT_SECONDS } from '#store/rows/valueChanges.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { addressOf, chainStateRow, insertRows, tokenRow, wordOf } from '#test/support/rows.ts'
import { commitBlocks, openIndex, replaceWith, wholeBlock } from '#test/support/simulatedIndex.ts'

const database = await useDatabase()
const { kysely, orm } = database

beforeEach(() => database.clear())

type Values = Readonly<Record<string, string | null>>

/** The six values of every token as its row has them. */
async function readValues(): Promise<ReadonlyMap<string, Values>> {
  const { rows } = await sql<Values & { readonly address: string }>`
    select '0x' || encode(address, 'hex') as address, price_weth::text as "priceWeth", close_usd::text as "priceUsd",
      market_cap_weth::text as "marketCapWeth", (close_usd * total_supply / 10 ^ decimals)::text as "marketCapUsd",
      graduation_percent::text as "graduationPercent", holder_count::text as holders from token`.execute(kysely)
  return new Map(rows.map(({ address, ...values }) => [address, values]))
}

const significant = (value: string | null) => (value === null ? null : Number(value).toPrecision(12))

/** What the channel is read from, as lines `block token value: before → after` of the values that moved. */
async function readMoves(): Promise<readonly string[]> {
  const query = { channel: 'crossings', after: { place: FIRST_PLACE, reorgs: 100 }, through: null, limit: 10_000 } as const
  const { events } = await readChannelEvents(kysely, query, 1)
  return events.flatMap(({ place, token, data }) => {
    if (!('values' in data)) throw new TypeError('not a change of values')
    return CROSSED_VALUES.flatMap(of => {
      const [before, after] = [data.values[of].before, data.values[of].after].map(value =>
        significant(value === null ? null : formatDecimal(value)),
      )
      return before === after ? [] : [`${place.blockNumber} ${token} ${of}: ${before} → ${after}`]
    })
  })
}

it('tells of each commit what it made of every value, and after reorgs what the new branch made of it', async () => {
  const forking = createForkingChain(createRandom(5), 64)
  const open = () => openIndex(database, { genesisHash: forking.chain.at(0).header.hash, maxReorgDepth: 64, ethUsd: () => '3000' })
  const expected: string[] = []
  const follow = async (index: Awaited<ReturnType<typeof open>>, from: number) => {
    for (let number = from; number <= forking.chain.head().header.number; number++) {
      const before = await readValues()
      await commitBlocks(index, forking.chain.at(number))
      for (const [token, values] of await readValues()) {
        for (const of of CROSSED_VALUES) {
          const [was, is] = [significant(before.get(token)?.[of] ?? null), significant(values[of] ?? null)]
          if (was !== is) expected.push(`${number} ${token} ${of}: ${was} → ${is}`)
        }
      }
    }
  }
  forking.mine(60)
  const index = await open()
  await follow(index, 1)
  expect((await readMoves()).toSorted()).toEqual(expected.toSorted())
  expect(CROSSED_VALUES.filter(of => !expected.some(line => line.includes(` ${of}: `)))).toEqual([])

  const [first] = forking.fork(5, 2).dropped
  const ancestor = (first?.header.number ?? 0) - 1
  const numbers = Array.from({ length: forking.chain.head().header.number - ancestor }, (_, above) => ancestor + 1 + above)
  const batches = numbers.map(number => wholeBlock(forking.chain.at(number)))
  await replaceWith(index, { ancestor: forking.chain.at(ancestor).header, batches })
  const told = await readMoves()
  expected.length = 0
  await database.clear()
  await follow(await open(), 1)
  expect(told.toSorted()).toEqual(expected.toSorted())
})

// Only the last block of what was committed together was told: after a pause, most crossings were late, and some never came.
it('tells of each block what it made of every value, however many blocks a commit has', async () => {
  const forking = createForkingChain(createRandom(5), 64)
  forking.mine(40)
  const blocks = Array.from({ length: 40 }, (_, number) => forking.chain.at(number + 1))
  const told: (readonly string[])[] = []
  for (const together of [1, 7, 40]) {
    await database.clear()
    const index = await openIndex(database, {
      genesisHash: forking.chain.at(0).header.hash,
      maxReorgDepth: 64,
      ethUsd: () => '3000',
    })
    for (let at = 0; at < blocks.length; at += together) await commitBlocks(index, ...blocks.slice(at, at + together))
    told.push((await readMoves()).toSorted())
  }
  expect(told[0]?.length).toBeGreaterThan(100)
  expect(told[1]).toEqual(told[0])
  expect(told[2]).toEqual(told[0])
})

it('drops what is older than four days, and says to readers from before that it is gone', async () => {
  const [now, day] = [1_800_000_000, 86_400]
  const cursor = { cursor_number: 9, cursor_hash: wordOf(9), cursor_timestamp: now }
  await insertRows(kysely, 'chain_state', [chainStateRow({ ...cursor, writer: 'test', committed_at_ms: 1 })])
  await insertRows(kysely, 'block', [{ number: 9, hash: wordOf(9), parent_hash: wordOf(8), timestamp: now, joined: false }])
  await insertRows(kysely, 'token', [tokenRow(1)])
  // More of the oldest block than one transaction drops.
  const places = [...Array.from({ length: 6_000 }, (_, log) => [4, log] as const), [5, 0], [6, 0], [9, 0]] as const
  const changes = places.map(([block, log]) => ({
    block_number: block,
    log_index: log,
    token: addressOf(1),
    timestamp: now - (9 - block) * day,
    holders: log,
  }))
  await insertRows(kysely, 'value_change', changes)
  const transaction = oneAtATime(createTransaction(orm))
  const job = createStepJob({ transaction, writer: 'test', step: dropValueChanges, failure: '', logger: silentLogger })
  job.committed({ number: 9, hash: wordOf(9), tokens: [], unread: [] })
  await job.settled()
  expect(KEPT_SECONDS).toBe(4 * day)
  const read = (blockNumber: number, logIndex: number) => {
    const after = { place: { blockNumber, logIndex }, reorgs: 0 }
    return readChannelEvents(kysely, { channel: 'crossings', after, through: null, limit: 10 }, 1)
  }
  expect(await read(4, 5_999)).toMatchObject({ isTooFar: true, events: [] })
  const { isTooFar, events } = await read(4, Number.MAX_SAFE_INTEGER)
  expect([isTooFar, events.map(({ place }) => place.blockNumber)]).toEqual([false, [5, 6, 9]])
})
