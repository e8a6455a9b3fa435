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

it.each(['online', 'offline', 'visibilitychange'])('pings its connection at %s, before it is silent for long', async event => {
  const { page, document } = stubPage()
  const { clock, service, client } = start()
  client.watch(addressOf(2), () => {})
  await clock.advance(1_000)
  service.cut(null)
  const target = event === 'visibilitychange' ? document : page
  target.dispatchEvent(new Event(event))
  await clock.advance(20_000)
  expect(client.state).not.toBe('live')
  await clock.advance(2_000)
  expect(client.state).toBe('live')
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

it('stops listening to the page when it is closed', () => {
  const { page, document } = stubPage()
  const listening = new Map<string, AbortSignal>()
  for (const target of [page, document]) {
    const listen = target.addEventListener.bind(target)
    target.addEventListener = (...added: Parameters<EventTarget['addEventListener']>) => {
      const [type, , options] = added
      if (typeof options === 'object' && options.signal) listening.set(type, options.signal)
      listen(...added)
    }
  }
  vi.stubGlobal('addEventListener', (...added: Parameters<EventTarget['addEventListener']>) => page.addEventListener(...added))
  const { client } = start()
  expect([...listening].map(([type, signal]) => [type, signal.aborted])).toEqual([
    ['online', false],
    ['offline', false],
    ['visibilitychange', false],
  ])
  client.close()
  expect([...listening.values()].every(signal => signal.aborted)).toBe(true)
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
