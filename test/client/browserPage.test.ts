import { afterEach, expect, it, vi } from 'vitest'
import { createTokenwire } from '#client/createTokenwire.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { SimulatedClock } from './simulatedClock.ts'
import { socketsOf } from './simulatedConnections.ts'
import { SimulatedService } from './simulatedService.ts'

afterEach(() => vi.unstubAllGlobals())

/** The objects of a browser that the client listens to. */
function stubPage() {
  const page = new EventTarget()
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('document', document)
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  return { page, document }
}

function start() {
  const clock = new SimulatedClock()
  const service = new SimulatedService(clock, () => 0.5, { tokens: 2, gateways: 1 })
  const requests: string[] = []
  const client = createTokenwire({
    url: 'http://service.test',
    clock,
    random: () => 0.999,
    WebSocket: socketsOf(service),
    fetch: (url, init) => {
      requests.push(new Request(url).url)
      return service.fetch(url, init)
    },
  })
  return { clock, service, requests, client }
}

it('connects at once when the network is back, before its pause is over', async () => {
  const { page } = stubPage()
  const { clock, service, client } = start()
  service.faults.webSocket = 'refused'
  service.faults.stream = 'broken'
  service.faults.rest = 'unreachable'
  client.watch(addressOf(2), () => {})
  await clock.advance(120_000)
  expect(client.state).toBe('offline')
  service.heal()
  // After the last failed attempt, and before the next one.
  await clock.advance(1)
  page.dispatchEvent(new Event('online'))
  await clock.advance(100)
  expect(client.state).toBe('live')
  client.close()
})

it('starts event streams and polling at once when the network is back while WebSockets are blocked', async () => {
  const { page } = stubPage()
  const { clock, service, client } = start()
  Object.assign(service.faults, { webSocket: 'refused', stream: 'broken', rest: 'unreachable' })
  client.watch(addressOf(2), () => {})
  await clock.advance(605_000)
  expect(client.state).toBe('offline')
  Object.assign(service.faults, { stream: 'fine', rest: 'fine' })
  page.dispatchEvent(new Event('online'))
  await clock.advance(500)
  expect(client.state).toBe('fallback')
  expect(service.streams.size).toBe(1)
  client.close()
})

it('keeps the pause that the server asked of an event stream, however often the page becomes visible', async () => {
  const { document } = stubPage()
  const { clock, service, requests, client } = start()
  Object.assign(service.faults, { webSocket: 'refused', stream: 'refused' })
  client.watch(addressOf(2), () => {})
  await clock.advance(5_000)
  const streams = () => requests.filter(url => url.includes('/stream')).length
  const before = streams()
  for (let n = 0; n < 20; n++) {
    document.dispatchEvent(new Event('visibilitychange'))
    await clock.advance(50)
  }
  expect(streams() - before).toBeLessThanOrEqual(1)
  client.close()
})

/** What a browser tells a page that slept, or whose network has changed. */
const WAKES = {
  online: (page: EventTarget) => page.dispatchEvent(new Event('online')),
  offline: (page: EventTarget) => page.dispatchEvent(new Event('offline')),
  'the return from the back cache': (page: EventTarget) => page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })),
  'the end of a freeze': (_: EventTarget, document: EventTarget) => document.dispatchEvent(new Event('resume')),
  'becoming visible': (_: EventTarget, document: EventTarget) => document.dispatchEvent(new Event('visibilitychange')),
  'all of them at once': (page: EventTarget, document: EventTarget) => {
    document.dispatchEvent(new Event('resume'))
    page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
    document.dispatchEvent(new Event('visibilitychange'))
    page.dispatchEvent(new Event('online'))
  },
}

// A page that was back from the back cache once showed the data of before for 45 s.
it.each(Object.entries(WAKES))('has the newest state and a connection that works soon after %s', async (_, wake) => {
  const { page, document } = stubPage()
  const { clock, service, client } = start()
  let sequence = 0
  client.watch(addressOf(2), state => (sequence = state.sequence))
  await clock.advance(1_000)
  service.cut(null)
  service.commit(addressOf(2))
  wake(page, document)
  await clock.advance(1_000)
  expect(sequence).toBe(service.truth(addressOf(2))?.token.sequence)
  await clock.advance(5_000)
  expect(client.state).toBe('live')
  expect(service.sockets.size).toBe(1)
  client.close()
})

it.each(Object.entries(WAKES))('keeps a connection that is alive at %s', async (_, wake) => {
  const { page, document } = stubPage()
  const { clock, service, client } = start()
  client.watch(addressOf(2), () => {})
  await clock.advance(1_000)
  const [socket] = service.sockets
  wake(page, document)
  await clock.advance(30_000)
  expect([...service.sockets]).toEqual([socket])
  client.close()
})

it('opens its event streams anew when the page is back, as they may be dead', async () => {
  const { page } = stubPage()
  const { clock, service, requests, client } = start()
  service.faults.webSocket = 'refused'
  client.watch(addressOf(2), () => {})
  await clock.advance(20_000)
  expect(client.state).toBe('fallback')
  const streams = () => requests.filter(url => url.includes('/stream')).length
  const before = streams()
  page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
  await clock.advance(1_000)
  expect(streams()).toBe(before + 1)
  expect([client.state, service.streams.size]).toEqual(['fallback', 1])
  client.close()
})

it('does nothing when a new page is shown for the first time', async () => {
  const { page } = stubPage()
  const { clock, requests, client } = start()
  client.watch(addressOf(2), () => {})
  await clock.advance(10_000)
  const before = requests.length
  page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }))
  await clock.advance(1_000)
  expect(requests).toHaveLength(before)
  client.close()
})

it('does not refetch while the page is hidden, and does when it becomes visible', async () => {
  const { document } = stubPage()
  const { clock, requests, client } = start()
  client.watch(addressOf(2), () => {})
  await clock.advance(10_000)
  const before = requests.length
  document.visibilityState = 'hidden'
  document.dispatchEvent(new Event('visibilitychange'))
  await clock.advance(600_000)
  expect(requests).toHaveLength(before)
  document.visibilityState = 'visible'
  document.dispatchEvent(new Event('visibilitychange'))
  await clock.advance(5_000)
  expect(requests).toHaveLength(before + 1)
  client.close()
})

it('listens to the page from its first connection until it is closed', () => {
  const { page, document } = stubPage()
  const listening = new Set<string>()
  for (const target of [page, document]) {
    Object.assign(target, { addEventListener: (type: string) => listening.add(type) })
    Object.assign(target, { removeEventListener: (type: string) => listening.delete(type) })
  }
  vi.stubGlobal('addEventListener', (type: string) => listening.add(type))
  vi.stubGlobal('removeEventListener', (type: string) => listening.delete(type))
  const { client } = start()
  expect([...listening]).toEqual([])
  client.watch(addressOf(2), () => {})
  expect([...listening]).toEqual(['online', 'offline', 'pageshow', 'resume', 'visibilitychange'])
  client.close()
  expect([...listening]).toEqual([])
})

it('never reconnects to a server that asked for it, whatever the page does', async () => {
  const { page } = stubPage()
  const { clock, service, client } = start()
  client.watch(addressOf(2), () => {})
  await clock.advance(1_000)
  service.cut(4503)
  await clock.advance(300_000)
  expect(service.sockets.size).toBe(0)
  page.dispatchEvent(new Event('online'))
  await clock.advance(300_000)
  expect(service.sockets.size).toBe(0)
  expect(client.state).toBe('offline')
  client.close()
  expect(clock.waiting).toBe(0)
})
