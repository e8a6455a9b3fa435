import { expect } from 'vitest'
import { FramedSnapshot } from '#actors/token/frame.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { RecordingSubscription } from '#test/support/actors.ts'
import { eventually, stepUntil } from '#test/support/eventually.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { chunkedBody } from './chunkedBody.ts'
import { type RawClient, RealtimeFixture } from './startRealtime.ts'

export const TOKEN = addressOf(1)
/** Makes an update some 16 KB large, so that the kernel's buffers are full soon. */
export const LARGE = { description: 'd'.repeat(12_000) }

/** A gateway with one indexed token, and every state of it that was committed. */
export class StreamFixture {
  readonly realtime: RealtimeFixture
  /** Of the newest commit. */
  sequence = 0
  /** By sequence. */
  readonly #committed = new Map<number, TokenSnapshot>()

  private constructor(realtime: RealtimeFixture) {
    this.realtime = realtime
  }

  static async start(options: Parameters<typeof RealtimeFixture.start>[1] = {}): Promise<StreamFixture> {
    const fixture = new StreamFixture(await RealtimeFixture.start({}, options))
    fixture.commit()
    const { registry } = fixture.realtime
    // The gateway of these tests has no tokens in its database: what an actor knows is indexed.
    registry.subscribe(TOKEN, new RecordingSubscription('eventStream'))
    await eventually(() => registry.get(TOKEN)?.sequence === 1)
    return fixture
  }

  get report() {
    return this.realtime.realtime.report()
  }

  commit(overrides: Partial<TokenSnapshot['token']> = {}): void {
    const snapshot = snapshotOf(TOKEN, ++this.sequence, overrides)
    this.#committed.set(this.sequence, snapshot)
    this.realtime.commit(snapshot)
  }

  /** Commits blocks in ticks of their own. */
  async commitMany(count: number, overrides: Partial<TokenSnapshot['token']> = LARGE): Promise<void> {
    for (let block = 0; block < count; block++) {
      this.commit(overrides)
      await new Promise(setImmediate)
    }
  }

  open(headers = '', query = ''): Promise<RawClient> {
    return this.realtime.rawClient(`GET /api/tokens/${TOKEN}/stream${query} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)
  }

  get isLagging(): boolean {
    return this.realtime.registry.get(TOKEN)?.subscribers.lagging === 1
  }

  /** The sizes of the kernel's buffers vary, so this commits blocks until they are full. */
  async stopReading(client: RawClient): Promise<void> {
    client.socket.pause()
    await stepUntil(
      () => this.isLagging,
      () => this.commitMany(1),
    )
  }

  /** Commits that many blocks of which nothing is delivered: the kernel has room again when what it holds is acknowledged, a moment later. */
  async commitUndelivered(count: number): Promise<void> {
    let before = Number.NaN
    const commit = async () => {
      before = this.report.deliveredTotal
      await this.commitMany(count)
    }
    await stepUntil(() => this.report.deliveredTotal === before, commit)
  }

  /** What is on the wire for a sequence, to a reader that was sent an earlier one before; 0: none. */
  wireOf(sequence: number, before: number): string {
    const framed = (one: number) => {
      const snapshot = this.#committed.get(one)
      if (snapshot === undefined) throw new Error(`sequence ${one} was never committed`)
      return new FramedSnapshot(snapshot, null)
    }
    const position = before === 0 ? null : framed(before).position
    return new TextDecoder().decode(framed(sequence).frame('3000').since(position).eventStream)
  }
}

/** Every byte that came is the first line, an event as it was committed, or a comment; and the sequences rise. */
export function expectExact(fixture: StreamFixture, client: RawClient): void {
  const text = bodyOf(client)
  expect(text.startsWith('retry: 2000\n\n')).toBe(true)
  let rest = text.slice('retry: 2000\n\n'.length)
  let last = 0
  while (rest !== '') {
    if (rest.startsWith(':\n\n')) {
      rest = rest.slice(3)
      continue
    }
    const id = idOf(rest)
    expect(id).toBeGreaterThan(last)
    const wire = fixture.wireOf(id, last)
    expect(rest.slice(0, wire.length) === wire.slice(0, rest.length)).toBe(true)
    last = id
    rest = rest.slice(wire.length)
  }
}

export const bodyOf = (client: RawClient) => chunkedBody(client.bytes).body.toString()

/** The complete events and comments, apart from the first line. */
export const eventsOf = (client: RawClient) => bodyOf(client).split('\n\n').slice(1, -1)

export const idsOf = (client: RawClient) => eventsOf(client).flatMap(event => (event.startsWith('event:') ? [idOf(event)] : []))

const idOf = (event: string) => Number(/^id: (\d+)$/m.exec(event)?.[1])
