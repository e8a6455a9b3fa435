import type { StateSubscriber, WatchedState } from '#actors/states/watchedState.ts'
import type { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import type { StateChannelName } from '#protocol/channels.ts'
import type { FrameQueue, Queued } from './queued.ts'
import type { Sink, WriteResult } from './sink.ts'

interface StateSubscriptionOptions {
  readonly channel: StateChannelName
  readonly id: string
  readonly client: string
  /** Whether the client merges changes into its state. If not, it gets whole states. */
  readonly takesChanges: boolean
}

/** One connection's interest in a list or in candles. At most one state waits in it: a newer one replaces an older one. */
export class StateSubscription<State extends WatchedState<State>> implements StateSubscriber<State>, Queued {
  next: Queued | null = null
  readonly client: string
  readonly #channel: StateChannelName
  readonly #id: string
  readonly #takesChanges: boolean
  readonly #outbox: FrameQueue
  readonly #stats: RealtimeStats
  #state: State | null = null
  #isEnded = false

  constructor({ channel, id, client, takesChanges }: StateSubscriptionOptions, outbox: FrameQueue, stats: RealtimeStats) {
    this.client = client
    this.#channel = channel
    this.#id = JSON.stringify(id)
    this.#takesChanges = takesChanges
    this.#outbox = outbox
    this.#stats = stats
  }

  get frameBytes(): number {
    return this.#state?.fields.length ?? 0
  }

  state(state: State): void {
    if (this.#isEnded) return
    const unsent = this.#state
    const next = this.#takesChanges ? state : state.whole
    this.#state = unsent === null ? next : next.replacing(unsent)
    if (unsent === null) this.#outbox.enqueue(this)
    else this.#stats.conflated()
  }

  /** Drops the waiting state and ignores later ones. */
  end(): void {
    this.#isEnded = true
    this.#state = null
    this.#outbox.dequeue(this)
  }

  write(sink: Sink): WriteResult {
    if (this.#state === null) return 'sent'
    const { sequence, kind, fields } = this.#state
    const type = `${this.#channel}${kind}`
    const webSocket = `{"type":"${type}","id":${this.#id},"sequence":${sequence},${fields}}`
    const result = sink.writeFrame({ webSocket, eventStream: `event: ${type}\nid: ${sequence}\ndata: ${webSocket}\n\n` })
    if (result === 'refused') return result
    this.#state = this.#state.rest
    this.#stats.delivered({ completedAtMs: null }, false)
    return result
  }
}
