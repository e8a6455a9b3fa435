import { createTokenwire } from '#client/createTokenwire.ts'
import { createLive } from '#client/live/createLive.ts'
import type { WatchedToken } from '#client/watch/watch.ts'
import type { Address } from '#domain/address.ts'

interface Close {
  readonly code: number
  readonly reason: string
  /** Until the next attempt to connect; `null`: there was none yet. */
  awayMs: number | null
}

/** A client of the library that watches a token and the trades of all tokens, and records what it is told and how its connections end. */
export class SdkClient {
  readonly sequences: number[] = []
  /** Ids of trades. */
  readonly eventsOfChannel: string[] = []
  readonly eventsOfWatch: string[] = []
  /** What the library says that it could not deliver. */
  readonly gaps: unknown[] = []
  closes: Close[] = []
  isOpen = false
  #hasBegun = false
  readonly #client: ReturnType<typeof createTokenwire>

  constructor(url: string, token: Address) {
    this.#client = createTokenwire({ url, WebSocket: recording(this), onError: error => void this.gaps.push(error) })
    let before: WatchedToken | null = null
    const seen = (state: WatchedToken) => {
      // What REST told without trade and holders may come again with them.
      if (before?.source !== 'rest' || before.sequence !== state.sequence) this.sequences.push(state.sequence)
      before = state
    }
    this.#client.watch(token, seen, {
      onTrades: ({ trades, gap }) => {
        if (gap) this.gaps.push('of the watch')
        this.eventsOfWatch.push(...trades.map(({ id }) => id))
      },
    })
    createLive(this.#client).trades({}, event => {
      if (event.type === 'begin') this.#hasBegun = true
      else if (event.type === 'trades') this.eventsOfChannel.push(...event.data.map(({ id }) => id))
      else this.gaps.push(event)
    })
  }

  get isWatching(): boolean {
    return this.#hasBegun && this.sequences.length > 0
  }

  holds(trade: string): boolean {
    return this.eventsOfChannel.at(-1) === trade && this.eventsOfWatch.at(-1) === trade
  }

  forgetCloses(): void {
    this.closes = []
  }

  close(): void {
    this.#client.close()
  }
}

/** The platform's WebSocket. */
function recording(client: Pick<SdkClient, 'closes' | 'isOpen'>) {
  let closedAtMs = 0
  return class extends WebSocket {
    constructor(url: string) {
      super(url)
      const last = client.closes.at(-1)
      if (last?.awayMs === null) last.awayMs = performance.now() - closedAtMs
      this.addEventListener('open', () => {
        client.isOpen = true
      })
      this.addEventListener('close', ({ code, reason }) => {
        if (!client.isOpen) return
        closedAtMs = performance.now()
        client.isOpen = false
        client.closes.push({ code, reason, awayMs: null })
      })
    }
  }
}
