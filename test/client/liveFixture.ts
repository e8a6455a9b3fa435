import fc from 'fast-check'
import { expect } from 'vitest'
import { createTokenwire } from '#client/createTokenwire.ts'
import { createLive } from '#client/live/createLive.ts'
import { isAfter } from '#client/live/gapRepair.ts'
import type { LiveEvent } from '#client/live/liveTypes.ts'
import type { ChannelEvent } from '#resources/channelEvent.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { ChannelService } from './channelService.ts'
import { SimulatedClock } from './simulatedClock.ts'

export const A = addressOf(1)
export const MAKER = addressOf(11)

/** More events than this since a client's position are a gap. */
const MAX_REPLAYED = 12

type AnyEvent = LiveEvent<{
  readonly type: 'trades' | 'launches' | 'graduations'
  readonly cursor: string
  readonly reorgs: number
  readonly block: string
  readonly data: readonly object[]
}>

/** What a reader holds of a channel, kept as the events say. It fails where an event comes twice or out of order. */
class View {
  readonly held = new Map<string, number>()
  readonly gaps: { readonly from: string; readonly to: string }[] = []
  readonly options: { after?: string; reorgs?: number } = {}
  /** What came before is not its own. */
  start: string | null = null
  #last = '0-0'

  readonly take = (event: AnyEvent): void => {
    const { cursor, reorgs } = event
    Object.assign(this.options, { after: cursor, reorgs })
    if (event.type === 'begin') {
      this.start ??= cursor
      this.#last = cursor
      return
    }
    if (event.type === 'reorg') {
      for (const [id, block] of this.held) if (block >= Number(event.fromBlock)) this.held.delete(id)
      if (this.start !== null && isAfter(this.start, cursor)) this.start = cursor
    } else {
      expect(isAfter(cursor, this.#last)).toBe(true)
      if (event.type === 'gap') this.gaps.push({ from: event.from, to: cursor })
      else
        for (const item of event.data) {
          const id = 'id' in item ? String(item.id) : 'address' in item ? String(item.address) : ''
          if (this.held.has(id)) throw new Error(`${id} came twice`)
          this.held.set(id, Number(event.block))
        }
    }
    this.#last = cursor
  }

  /** It holds what the chain holds since its start, but for what it was told to be missing. */
  expectAll(events: readonly ChannelEvent[], idOf: (place: ChannelEvent['place']) => string): void {
    if (this.start === null) return
    const { start } = this
    const placed = events.map(({ place }) => ({ id: idOf(place), at: `${place.blockNumber}-${place.logIndex}` }))
    const expected = placed.filter(({ at }) => isAfter(at, start))
    const isLogged = (at: string) => this.gaps.some(({ from, to }) => isAfter(at, from) && !isAfter(at, to))
    expect(expected.filter(({ id, at }) => !this.held.has(id) && !isLogged(at))).toEqual([])
    const ids = new Set(expected.map(({ id }) => id))
    expect([...this.held.keys()].filter(id => !ids.has(id))).toEqual([])
  }
}

const tradeId = ({ blockNumber, logIndex }: ChannelEvent['place']) => `${blockNumber}-${logIndex}`
const launchId = ({ blockNumber, logIndex }: ChannelEvent['place']) => addressOf(blockNumber * 1_000 + logIndex)

export class Fixture {
  readonly clock = new SimulatedClock()
  readonly service: ChannelService
  readonly trades = new View()
  readonly filtered = new View()
  readonly slow = new View()
  readonly launches = new View()
  readonly graduations = new View()
  latest: readonly { readonly id: string }[] = []
  listed: readonly string[] = []
  candles: readonly object[] = []
  readonly errors: unknown[] = []
  client!: ReturnType<typeof createTokenwire>
  readonly #random: () => number

  constructor(random: () => number, maxReplayed = MAX_REPLAYED) {
    this.#random = random
    this.service = new ChannelService(this.clock, random, maxReplayed)
  }

  connect() {
    this.client = createTokenwire({
      url: 'http://service.test',
      clock: this.clock,
      random: this.#random,
      fetch: this.service.fetch,
      WebSocket: this.service.WebSocket,
      onError: error => this.errors.push(error),
    })
    return createLive(this.client)
  }

  /** Everything that is followed, from where the views are. */
  follow(): void {
    const live = this.connect()
    live.trades({}, this.trades.take, this.trades.options)
    live.trades({ makers: [MAKER] }, this.filtered.take, this.filtered.options)
    live.launches({}, this.launches.take, this.launches.options)
    live.graduations({}, this.graduations.take, this.graduations.options)
    live.latestTrades({ limit: 7 }, trades => (this.latest = trades))
    live.list({ sort: 'createdAt', limit: 5 }, ({ data }) => (this.listed = data.map(({ address }) => address)))
    live.candles({ token: A, limit: 70 }, ({ candles }) => (this.candles = candles))
    void this.#readSlowly(live)
  }

  async #readSlowly(live: ReturnType<typeof createLive>): Promise<void> {
    for await (const event of live.trades({ tokens: [A] }, this.slow.options)) {
      this.slow.take(event)
      await new Promise<void>(resolve => void this.clock.setTimeout(resolve, 400))
    }
  }

  async pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= 5) {
      await this.clock.advance(Math.min(5, left) * 1_000)
      this.service.sweep()
    }
  }

  async expectTruth(): Promise<void> {
    const { stored } = this.service
    const { events } = stored
    this.trades.expectAll(events, tradeId)
    this.launches.expectAll(events, launchId)
    this.graduations.expectAll(events, launchId)
    this.filtered.expectAll(
      events.filter(({ wallet }) => wallet === MAKER),
      tradeId,
    )
    this.slow.expectAll(
      events.filter(({ token }) => token === A),
      tradeId,
    )
    for (const view of [this.trades, this.filtered, this.slow, this.launches]) expect(view.gaps).toEqual([])
    expect(this.latest.map(({ id }) => id)).toEqual((await this.service.trades({ limit: 7 })).map(({ id }) => id))
    expect(this.listed).toEqual(this.service.launched.slice(0, 5).map(({ address }) => address))
    expect(this.candles).toEqual(this.service.candles(A).slice(-70))
  }
}

type Step =
  | { readonly kind: 'commit'; readonly trades: readonly (readonly [number, number])[] }
  | { readonly kind: 'reorg'; readonly dropped: number; readonly grown: number }
  | { readonly kind: 'cut' | 'restartGateway' | 'restartClient' | 'block' | 'unblock' | 'stall' | 'failRest' | 'healRest' }
  | { readonly kind: 'pass'; readonly seconds: number }

const trade = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 10, max: 12 }))
const plain = fc.constantFrom('cut', 'restartGateway', 'restartClient', 'block', 'unblock', 'stall', 'failRest', 'healRest')
export const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('commit'), trades: fc.array(trade, { maxLength: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reorg'), dropped: fc.integer({ min: 1, max: 4 }), grown: fc.nat(4) }) },
  { weight: 5, arbitrary: fc.record({ kind: plain }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('pass'), seconds: fc.constantFrom(0.02, 0.2, 2, 12) }) },
) as fc.Arbitrary<Step>

export async function perform(fixture: Fixture, one: Step): Promise<void> {
  const { service } = fixture
  switch (one.kind) {
    case 'commit':
      service.commit(...one.trades)
      return
    case 'reorg':
      service.reorg(one.dropped, one.grown)
      return
    case 'cut':
      service.cut(1006)
      return
    case 'restartGateway':
      service.restart()
      return
    case 'restartClient':
      fixture.client.close()
      // The reader takes what it was given before the client was closed.
      await new Promise(setImmediate)
      fixture.follow()
      return
    case 'block':
      service.faults.webSocket = 'refused'
      service.cut(1006)
      return
    case 'unblock':
      service.faults.webSocket = 'fine'
      return
    case 'stall':
      for (const socket of service.sockets) socket.isStalled = !socket.isStalled
      return
    case 'failRest':
    case 'healRest':
      service.faults.rest = one.kind === 'failRest' ? 'failing' : 'fine'
      return
    case 'pass':
      await fixture.pass(one.seconds)
  }
}
