import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createMinuteRetention } from '#jobs/candleJobs.ts'
import type { CandlesQuery } from '#resources/candles.ts'
import { createTransaction, oneAtATime } from '#store/connection/transaction.ts'
import { readCandles } from '#store/reads/candles.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows, tokenRow, wordOf } from '#test/support/rows.ts'

const { kysely, orm, clear } = await useDatabase()

const DAY = 86_400
const FIRST = 20_000 * DAY
const DAYS = 6
const NEWEST = FIRST + DAYS * DAY - 50
const WRITER = 'test'
/** A token that always trades, and one that traded on the first day only. On that day they have more candles than one transaction drops. */
const [BUSY, IDLE] = [addressOf(1), addressOf(2)]

beforeEach(async () => {
  await clear()
  const cursor = { cursor_number: 100, cursor_hash: wordOf(100), cursor_timestamp: NEWEST }
  await insertRows(kysely, 'chain_state', [chainStateRow({ ...cursor, writer: WRITER, committed_at_ms: 1 })])
  await insertRows(kysely, 'block', [{ number: 100, hash: wordOf(100), parent_hash: wordOf(99), timestamp: NEWEST, joined: false }])
  await insertRows(kysely, 'token', [tokenRow(1), tokenRow(2)])
  await insertRows(kysely, 'candle', [...candlesOf(BUSY, DAYS * 1_440), ...candlesOf(IDLE, 1_000)])
})

/** A candle of each minute, and the longer ones that they make. */
function* candlesOf(token: string, minutes: number) {
  for (const length of [60, 300, 900, 3_600, 14_400, DAY]) {
    const closes = new Map<number, number>()
    for (let minute = 0; minute < minutes; minute++) {
      const time = FIRST + minute * 60
      closes.set(time - (time % length), minute + 1)
    }
    for (const [time, close] of closes) {
      const prices = Object.fromEntries(['open', 'high', 'low', 'close'].map(field => [field, String(close)]))
      yield { token, interval_seconds: length, time, ...prices, volume_wei: '1', trades: 1, trades_usd: 0 }
    }
  }
}

async function drop(days: number | null): Promise<void> {
  const job = createMinuteRetention({ transaction: oneAtATime(createTransaction(orm)), writer: WRITER, days, logger: silentLogger })
  job.committed({ number: 100, hash: wordOf(100), tokens: [], unread: [] })
  await job.settled()
}

async function countByInterval(): Promise<Readonly<Record<number, number>>> {
  const { rows } = await sql<{ seconds: number; count: number }>`
    select interval_seconds as seconds, count(*) from candle group by 1`.execute(kysely)
  return Object.fromEntries(rows.map(({ seconds, count }) => [seconds, count]))
}

const read = async (query: Partial<CandlesQuery> = {}) =>
  readCandles(kysely, { address: BUSY, interval: '1m', of: 'price', currency: 'weth', fill: false, limit: 1_500, ...query })

it('drops whole days of minutes, nothing else, and says so of ranges that are gone', async () => {
  const before = await countByInterval()
  await drop(2)
  // The newest final block is on the sixth day: minutes of the first three days are older than two days.
  const keptFrom = FIRST + 3 * DAY
  const { 60: minutes, ...others } = await countByInterval()
  expect({ ...others, 60: before[60] }).toEqual(before)
  expect(minutes).toBe((DAYS - 3) * 1_440)

  const notKept = `candles of one minute are kept from ${keptFrom} on; those of longer intervals go further back`
  for (const fill of [true, false]) {
    expect(await read({ to: keptFrom - 1, fill })).toMatchObject({ data: [], next: null, notKept })
    expect(await read({ address: addressOf(3), to: keptFrom - 1, fill })).toBeNull()
    expect(await read({ interval: '5m', to: keptFrom - 1, fill })).not.toHaveProperty('notKept')
  }
})

it('leaves the answers for what is kept as they were', async () => {
  const keptFrom = FIRST + 3 * DAY
  const queries: Partial<CandlesQuery>[] = [BUSY, IDLE].flatMap(address =>
    [true, false].flatMap(fill => [
      { address, fill, from: keptFrom, to: keptFrom + 400 * 60 },
      { address, fill, from: keptFrom + 200 * 60, to: keptFrom + 400 * 60 },
      { address, fill, from: keptFrom + 500 * 60, limit: 100 },
    ]),
  )
  const before = await Promise.all(queries.map(read))
  const crossing = await read({ to: keptFrom + 100 * 60, fill: true, limit: 200 })
  await drop(2)
  expect(await Promise.all(queries.map(read))).toEqual(before)
  const cut = await read({ to: keptFrom + 100 * 60, fill: true, limit: 200 })
  expect(cut?.data).toEqual(crossing?.data.filter(({ time }) => time >= keptFrom))
  expect(cut?.next).toBeNull()
})

it('keeps everything by default, and where no block is as old', async () => {
  const before = await countByInterval()
  await drop(null)
  await drop(30)
  expect(await countByInterval()).toEqual(before)
  expect(await read({ to: FIRST - 1 })).not.toHaveProperty('notKept')
})

it('goes on where a process ended in the middle of a day', async () => {
  await sql`update chain_state set minutes_from = ${FIRST + DAY}`.execute(kysely)
  await sql`delete from candle where interval_seconds = 60 and time < ${FIRST + DAY / 2}`.execute(kysely)
  expect(await read({ to: FIRST + DAY - 1 })).toMatchObject({ data: [], notKept: expect.any(String) })
  await drop(2)
  expect((await countByInterval())[60]).toBe((DAYS - 3) * 1_440)
})

it('drops nothing for a process that is not the writer any more', async () => {
  await sql`update chain_state set writer = 'another'`.execute(kysely)
  const before = await countByInterval()
  await drop(2)
  expect(await countByInterval()).toEqual(before)
})
