import fc from 'fast-check'
import { expect } from 'vitest'
import { createTokenwire } from '#client/createTokenwire.ts'
import type { WatchedToken } from '#client/watch/watch.ts'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import { SimulatedClock } from './simulatedClock.ts'
import { type Faults, socketsOf } from './simulatedConnections.ts'
import { SimulatedService } from './simulatedService.ts'

type Step =
  | { readonly kind: 'commit' | 'watch' | 'unwatch'; readonly token: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'cut'; readonly code: number | null }
  | { readonly kind: 'stick'; readonly gateway: number; readonly isStuck: boolean }
  | { readonly kind: 'fault'; readonly faults: Partial<Faults> }
  | { readonly kind: 'wake' }

const TOKENS = 7
const token = fc.nat(TOKENS - 1)
const webSocket = fc.constantFrom<Faults['webSocket']>('fine', 'fine', 'refused', 'hanging', 'mute')
const messages = fc.constantFrom<Faults['messages']>('fine', 'delayed', 'reordered', 'duplicated', 'dropped', 'corrupt')
const rest = fc.constantFrom<Faults['rest']>('fine', 'unreachable', 'failing', 'limited', 'corrupt')
const stream = fc.constantFrom<Faults['stream']>('fine', 'refused', 'broken')

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('commit'), token }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('watch', 'unwatch'), token }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(1, 30, 900, 4_000, 40_000) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cut'), code: fc.constantFrom(1006, 1012, 1001, 4012, 4408, 4429, null) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stick'), gateway: fc.nat(1), isStuck: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('fault'), faults: fc.record({ webSocket, messages, rest, stream }, { requiredKeys: [] }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wake') }) },
) as fc.Arbitrary<Step>

/** Changes over connections that stay, and lose, double, delay or reorder messages. */
export const messageStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('commit'), token: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(30, 900) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fault'), faults: fc.record({ messages }) }) },
) as fc.Arbitrary<Step>

/** A watch that fails the test when it receives an older state than before, or one that was not committed. */
class Witness {
  state: WatchedToken | null = null
  #close: () => void

  constructor(client: ReturnType<typeof createTokenwire>, address: Address, service: SimulatedService) {
    this.#close = client.watch(address, news => {
      const before = this.state
      const isNewer = before === null || news.sequence > before.sequence
      if (!isNewer && !(news.sequence === before.sequence && before.source === 'rest')) {
        throw new Error(`${news.sequence} over ${news.source} after ${before.sequence} over ${before.source}`)
      }
      if (news.token.sequence !== news.sequence || news.address !== address) throw new Error('a state of something else')
      const committed = service.committed.get(news.sequence)
      expect(news.token).toEqual(committed?.token)
      if (news.source !== 'rest') expect(news.holders).toEqual(committed?.holders)
      this.state = news
    }).close
  }

  close(): void {
    this.#close()
  }
}

/**
 * @param closes - closes the client right after the steps, instead of waiting for it to converge
 * @returns how many changes came as deltas
 */
export async function expectConvergence(steps: readonly Step[], seed: number, closes = false): Promise<number> {
  const random = createRandom(seed).unit
  const clock = new SimulatedClock()
  const service = new SimulatedService(clock, random, { tokens: TOKENS, gateways: 2 })
  const errors: unknown[] = []
  const client = createTokenwire({
    url: 'http://service.test',
    fetch: service.fetch,
    WebSocket: socketsOf(service),
    clock,
    random,
    maxSubscriptions: 3,
    onError: error => errors.push(error),
  })
  const witnesses = new Map<Address, Witness>()
  const addressOf = (index: number) => service.tokens[index % TOKENS] as Address
  const watch = (address: Address) => {
    if (!witnesses.has(address)) witnesses.set(address, new Witness(client, address, service))
  }
  for (const address of service.tokens.slice(0, 4)) watch(address)
  for (const one of steps) {
    switch (one.kind) {
      case 'commit':
        service.commit(addressOf(one.token))
        break
      case 'watch':
        watch(addressOf(one.token))
        break
      case 'unwatch':
        witnesses.get(addressOf(one.token))?.close()
        witnesses.delete(addressOf(one.token))
        break
      case 'pass':
        await clock.advance(one.ms)
        break
      case 'cut':
        service.cut(one.code, 'retry after 2500 ms')
        break
      case 'stick':
        service.stick(one.gateway, one.isStuck)
        break
      case 'fault':
        Object.assign(service.faults, one.faults)
        break
      case 'wake':
        client.reconnect()
        break
    }
  }
  if (!closes) await expectTruth()
  // Errors of a witness are reported like those of any listener.
  expect(errors.filter(error => (error as Error).name !== 'TokenwireError')).toEqual([])

  client.close()
  const { length } = errors
  const held = [...witnesses.values()].map(({ state }) => state)
  for (const address of service.tokens) service.commit(address)
  // Messages that are still on their way reach no listener.
  await clock.advance(100_000)
  expect([...witnesses.values()].map(({ state }) => state)).toEqual(held)
  expect(errors).toHaveLength(length)
  expect({ timers: clock.waiting, sockets: service.sockets.size, streams: service.streams.size }).toEqual({
    timers: 0,
    sockets: 0,
    streams: 0,
  })
  return service.deltas

  async function expectTruth(): Promise<void> {
    service.heal()
    await clock.advance(240_000)
    // The last change of each comes as a delta.
    for (const address of service.tokens) service.commit(address)
    await clock.advance(1_000)

    for (const [address, { state }] of witnesses) {
      const truth = service.truth(address)
      expect(state?.sequence).toBe(truth?.token.sequence)
      expect(state?.token).toEqual(truth?.token)
      expect(state?.latestTrade).toEqual(truth?.recent.trades.at(-1))
      expect(state?.holders).toEqual(truth?.holders)
    }
    if (witnesses.size > 0) expect(client.state).toBe('live')
  }
}
