import { getEventListeners } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { createTokenwire } from '#client/createTokenwire.ts'
import type { TokenwireOptions } from '#client/options.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { Seen } from './clientFixture.ts'
import { SimulatedClock } from './simulatedClock.ts'
import { socketsOf } from './simulatedConnections.ts'
import { SimulatedService } from './simulatedService.ts'

/* Uses of the client that stress it: many watches, calls from within listeners, a suspended machine. */

const A = addressOf(1)
const B = addressOf(2)

const clients: Tokenwire[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

function simulated(options: Partial<TokenwireOptions> & { readonly tokens?: number } = {}) {
  const clock = new SimulatedClock()
  const service = new SimulatedService(clock, () => 0.5, { tokens: options.tokens ?? 3, gateways: 1 })
  const errors: unknown[] = []
  const client = createTokenwire({
    onError: error => errors.push(error),
    url: 'http://service.test',
    clock,
    random: () => 0.5,
    WebSocket: socketsOf(service),
    fetch: service.fetch,
    ...options,
  })
  clients.push(client)
  return { clock, service, client, errors }
}

it('recovers after nine hours in a suspended machine', async () => {
  const { clock, service, client } = simulated()
  const seen = new Seen()
  client.watch(B, seen.listen)
  await clock.advance(1_000)
  service.cut(null)
  service.commit(B)
  clock.suspend(9 * 3_600_000)
  await clock.advance(12_000)
  expect(client.state).toBe('live')
  expect(seen.sequences.at(-1)).toBe(service.truth(B)?.token.sequence)
})

it('takes ten thousand watches, ends the ones above its limit, and stays cheap', async () => {
  const { clock, service, client } = simulated({ tokens: 10_000 })
  // More work than with WebSockets, because each watch changes the tokens of the fallback.
  service.faults.webSocket = 'refused'
  const refused: string[] = []
  const first = client.watch(service.tokens[1] as Address, () => {})
  await clock.advance(5_000)
  expect(client.state).toBe('fallback')
  const startedAt = process.cpuUsage()
  const watches = service.tokens.map(token => client.watch(token, () => {}, { onEnd: ({ code }) => refused.push(code) }))
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(2_000)
  await clock.advance(10)
  expect(refused).toEqual(Array(9_000).fill('too_many_watches'))
  for (const watch of [first, ...watches]) watch.close()
  await clock.advance(300_000)
  expect({ timers: clock.waiting, sockets: service.sockets.size, streams: service.streams.size, state: client.state }).toEqual({
    timers: 0,
    sockets: 0,
    streams: 0,
    state: 'offline',
  })
})

it('allows every call from within a listener', async () => {
  const { clock, service, client, errors } = simulated()
  const [first, second] = [new Seen(), new Seen()]
  const notified: string[] = []
  // The second update ends its own watch and starts another one of the same token, in upper case.
  const own = client.watch(B, state => {
    first.listen(state)
    if (first.states.length !== 2) return
    own.close()
    client.watch(B.toUpperCase(), second.listen)
    client.watch(A, () => notified.push('another'))
    throw new Error('and it throws')
  })
  await clock.advance(1_000)
  service.commit(B)
  service.commit(A)
  await clock.advance(1_000)
  service.commit(B)
  await clock.advance(1_000)
  expect(first.states).toHaveLength(2)
  expect(second.sequences).toEqual([first.sequences[1], service.truth(B)?.token.sequence])
  expect(notified).toEqual(['another'])
  expect(errors.map(String)).toEqual(['Error: and it throws'])
})

it('calls all state listeners in the same order, and none after one of them closed the client', async () => {
  const { clock, service, client } = simulated()
  const heard: string[] = []
  client.onState(state => {
    if (state === 'offline') client.reconnect()
    if (state === 'live' && service.tokens.length > 2 && heard.includes('offline')) client.close()
  })
  client.onState(state => heard.push(state))
  client.watch(B, () => {})
  await clock.advance(1_000)
  Object.assign(service.faults, { webSocket: 'refused', rest: 'unreachable', stream: 'broken' })
  service.cut(1006)
  await clock.advance(20_000)
  expect(heard.at(-1)).toBe(client.state)
  expect(heard).toContain('offline')
  service.heal()
  await clock.advance(60_000)
  // The first listener closes the client when it is live again, before the second one is called.
  expect(heard.filter(state => state === 'live')).toHaveLength(1)
  expect(client.state).toBe('offline')
  expect(clock.waiting).toBe(0)
})

it("leaves no listener on its user's signals", async () => {
  const { clock, service, client } = simulated()
  const { signal } = new AbortController()
  const iterator = client.watch(B, { signal })
  void iterator.next()
  const watch = client.watch(B, () => {}, { signal })
  void client.tokens({ addresses: [B] }, { signal })
  await clock.advance(1)
  expect(getEventListeners(signal, 'abort').length).toBeGreaterThanOrEqual(3)
  await clock.advance(1_000)
  watch.close()
  await iterator.return(undefined)
  expect(getEventListeners(signal, 'abort')).toEqual([])
  void client.tokens({ addresses: [B] }, { signal })
  client.watch(B, () => {}, { signal })
  client.close()
  // Answers of the service that are still on their way.
  await clock.advance(100)
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect({ timers: clock.waiting, sockets: service.sockets.size }).toEqual({ timers: 0, sockets: 0 })
})
