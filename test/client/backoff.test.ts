import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTokenwire } from '#client/createTokenwire.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { SimulatedClock } from './simulatedClock.ts'
import { socketsOf } from './simulatedConnections.ts'
import { SimulatedService } from './simulatedService.ts'

const MINUTE_MS = 60_000

let clock: SimulatedClock
let service: SimulatedService
let client: Tokenwire
/** How often the client asked for a path that contains this. */
let asked: (part: string) => number
beforeEach(() => {
  clock = new SimulatedClock()
  service = new SimulatedService(clock, () => 0.5, { tokens: 2, gateways: 1 })
  const urls: string[] = []
  asked = part => urls.splice(0).filter(url => url.includes(part)).length
  client = createTokenwire({
    url: 'http://simulated',
    clock,
    random: () => 0.5,
    WebSocket: socketsOf(service),
    fetch: (input, init) => {
      urls.push(input instanceof Request ? input.url : input.toString())
      return service.fetch(input, init)
    },
  })
  client.watch(addressOf(2), () => {})
})
afterEach(() => client.close())

/** Ends each connection when it has been open for so long. */
function cutEach(afterMs: number): void {
  client.onState(state => {
    if (state === 'live') clock.setTimeout(() => service.cut(1006), afterMs)
  })
}

/** How often the client goes live in five minutes. */
async function livesInFiveMinutes(): Promise<number> {
  let count = 0
  client.onState(state => {
    if (state === 'live') count++
  })
  await clock.advance(5 * MINUTE_MS)
  return count
}

it('asks ever less often a server that soon ends each connection', async () => {
  cutEach(1_000)
  await clock.advance(5 * MINUTE_MS)
  const count = await livesInFiveMinutes()
  expect(count).toBeGreaterThan(5)
  expect(count).toBeLessThan(30)
})

it('is soon back after the loss of a connection that held', async () => {
  cutEach(11_000)
  await clock.advance(5 * MINUTE_MS)
  const count = await livesInFiveMinutes()
  expect(count).toBeGreaterThan(22)
})

it('opens ever less often event streams that soon end', async () => {
  service.faults.webSocket = 'refused'
  const cutStreams = (): void => {
    service.cut(1006)
    clock.setTimeout(cutStreams, 1_000)
  }
  cutStreams()
  await clock.advance(5 * MINUTE_MS)
  asked('')
  await clock.advance(5 * MINUTE_MS)
  const count = asked('/stream')
  expect(count).toBeGreaterThan(5)
  expect(count).toBeLessThan(30)
})

it('polls as often as before once requests are answered again', async () => {
  Object.assign(service.faults, { webSocket: 'refused', stream: 'refused', rest: 'failing' })
  service.cut(1006)
  await clock.advance(10 * MINUTE_MS)
  asked('')
  await clock.advance(5 * MINUTE_MS)
  expect(asked('addresses=')).toBeLessThan(30)
  service.faults.rest = 'fine'
  await clock.advance(2 * MINUTE_MS)
  asked('')
  await clock.advance(MINUTE_MS)
  expect(asked('addresses=')).toBeGreaterThan(10)
})
