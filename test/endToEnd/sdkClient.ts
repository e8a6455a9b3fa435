import { createTokenwire } from '#client/createTokenwire.ts'
import type { ListState } from '#client/generated/types.ts'
import { createLive } from '#client/live/createLive.ts'
import type { CandlesState, ListQuery, LiveEvent } from '#client/live/liveTypes.ts'
import type { WatchedToken } from '#client/watch/watch.ts'
import type { Address } from '#domain/address.ts'
import { closeAfterFile } from '#test/support/closeAfterFile.ts'

interface Close {
  readonly code: number
  readonly reason: string
  /** Until the next attempt to connect; `null`: there was none yet. */
  awayMs: number | null
}

/** The list that clients follow. */
export const FOLLOWED_LIST = { sort: 'createdAt', limit: 20 } as const satisfies ListQuery

/**
 * A client of the library that watches a token, follows its candles, a list, and the trades and launches of all tokens, and records what it
 * is told and how its connections end.
 */
export class SdkClient {
  readonly sequences: number[] = []
  /** Ids of trades. */
  readonly eventsOfChannel: string[] = []
  /** Addresses of tokens. */
  readonly launches: Address[] = []
  list: ListState | null = null
  candles: CandlesState | null = null
  /** What the library says that it could not deliver. */
  readonly gaps: unknown[] = []
  closes: Close[] = []
  isOpen = false
  #begun = 0
  readonly #client: ReturnType<typeof createTokenwire>

  constructor(url: string, token: Address) {
    this.#client = createTokenwire({ url, WebSocket: recording(this), onError: error => void this.gaps.push(error) })
    closeAfterFile(async () => this.close())
    let before: WatchedToken | null = null
    const seen = (state: WatchedToken) => {
      // What REST told without trade and holders may come again with them.
      if (before?.source !== 'rest' || before.sequence !== state.sequence) this.sequences.push(state.sequence)
      before = state
    }
    this.#client.watch(token, seen)
    const live = createLive(this.#client)
    live.trades({}, event => this.#take(event, ({ data }) => this.eventsOfChannel.push(...data.map(({ id }) => id))))
    live.launches({}, event => this.#take(event, ({ data }) => this.launches.push(...data.map(({ address }) => address))))
    live.list(FOLLOWED_LIST, state => {
      this.list = state
    })
    live.candles({ token }, state => {
      this.candles = state
    })
  }

  #take<Data extends { readonly type: 'trades' | 'launches' }>(event: LiveEvent<Data>, take: (data: Data) => void): void {
    if (event.type === 'begin') this.#begun++
    else if (event.type === 'reorg' || event.type === 'gap') this.gaps.push(event)
    else take(event)
  }

  get isWatching(): boolean {
    return this.#begun === 2 && this.sequences.length > 0 && this.list !== null && this.candles !== null
  }

  holds(trade: string): boolean {
    return this.eventsOfChannel.at(-1) === trade
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
