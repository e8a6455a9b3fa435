import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { comparePlaces } from '#domain/eventPlace.ts'
import { eventually, stepUntil } from '#test/support/eventually.ts'
import { RealtimeFixture } from './startRealtime.ts'

/** Fewer trades than are replayed. */
const FEW_BLOCKS = 40
/** More trades than the 10,000 that are replayed. */
const MANY_BLOCKS = 60
const TRADES_PER_BLOCK = 230

interface Told {
  readonly type: string
  readonly from?: string
  readonly to?: string
  readonly data?: readonly { readonly id: string }[]
}

/** Without the checks of `Client`, which take longer than the messages. */
class Reader {
  readonly socket: WebSocket
  readonly told: Told[] = []
  readonly ids: string[] = []

  constructor(port: number) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/realtime`)
    this.socket.on('open', () => this.socket.send('{"type":"subscribe","channel":"trades"}'))
    this.socket.on('message', (bytes: Buffer) => {
      const message = JSON.parse(bytes.toString()) as Told
      this.told.push(message)
      for (const { id } of message.data ?? []) this.ids.push(id)
    })
  }
}

let fixture: RealtimeFixture
const readers: Reader[] = []

beforeEach(async () => {
  fixture = await RealtimeFixture.start()
})

afterEach(async () => {
  for (const { socket } of readers.splice(0)) socket.terminate()
  await fixture.stop()
})

const stored = () => fixture.events.events.map(({ place }) => `${place.blockNumber}-${place.logIndex}`)

const placeOf = (id: string) => {
  const [blockNumber = 0, logIndex = 0] = id.split('-').map(Number)
  return { blockNumber, logIndex }
}

it('readers that have stopped hold up no other, and then have every event once, or know which they missed', async () => {
  const [quick, ...stalled] = await open(5)
  if (quick === undefined) throw new RangeError('no reader')
  for (const { socket } of stalled) socket.pause()
  const reading = [quick]
  const haveAll = () => reading.every(({ ids }) => ids.length === fixture.events.events.length)
  const commitBlocks = async (blocks: number) => {
    for (let block = 0; block < blocks; block++) {
      fixture.trade(...Array.from({ length: TRADES_PER_BLOCK }, (_, n): [number, number] => [1 + n, 1]))
      await eventually(haveAll)
    }
  }
  await commitBlocks(FEW_BLOCKS)
  const [back, away] = [stalled.slice(0, 2), stalled.slice(2)]
  for (const { socket } of back) socket.resume()
  reading.push(...back)
  await eventually(haveAll)
  for (const { ids } of back) expect(ids).toEqual(stored())

  // The kernel takes some megabytes of each reader, more on some machines than on others, before the server notices that it does not read.
  let untold = 0
  const commitOne = async () => {
    const messages = () => fixture.realtime.report().deliveredTotal - reading.reduce((sum, { told }) => sum + told.length, 0)
    const before = messages()
    await commitBlocks(1)
    untold = messages() - before
  }
  untold = 1
  await stepUntil(() => untold === 0, commitOne)
  await commitBlocks(MANY_BLOCKS)
  for (const { socket } of away) socket.resume()
  // A gap reaches up to the newest event, and what comes after it is told again.
  await eventually(() => away.every(({ told }) => told.some(({ type }) => type === 'gap')))
  await commitBlocks(1)
  await eventually(() => away.every(({ ids }) => ids.at(-1) === stored().at(-1)))
  for (const { ids, told } of away) {
    const gaps = told.flatMap(({ type, from, to }) => (type === 'gap' && from !== undefined && to !== undefined ? [{ from, to }] : []))
    expect(gaps).toHaveLength(1)
    const [{ from, to } = { from: '', to: '' }] = gaps
    const isLeftOut = (id: string) => comparePlaces(placeOf(id), placeOf(from)) > 0 && comparePlaces(placeOf(id), placeOf(to)) <= 0
    expect(ids).toEqual(stored().filter(id => !isLeftOut(id)))
  }
  expect(quick.ids).toEqual(stored())
})

async function open(count: number): Promise<readonly Reader[]> {
  const opened = Array.from({ length: count }, () => new Reader(fixture.port))
  readers.push(...opened)
  await eventually(() => opened.every(({ told }) => told.length === 1))
  return opened
}
