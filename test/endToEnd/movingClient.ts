import type { Address } from '#domain/address.ts'
import type { TokenUpdate } from '#protocol/encodeUpdate.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'

/** A client of one token that comes back, with its last sequence, wherever it is sent. */
export class MovingClient {
  readonly #token: Address
  readonly #before: TokenUpdate[] = []
  #feed: FeedClient | null = null

  constructor(token: Address) {
    this.#token = token
  }

  /** Leaves the gateway that it is connected to, if any. */
  async connect(url: string): Promise<void> {
    this.close()
    this.#feed = await openFeed(url)
    this.#feed.send({ type: 'subscribe', token: this.#token, sequence: this.updates().at(-1)?.sequence })
  }

  /** All updates, of all connections. */
  updates(): readonly TokenUpdate[] {
    return [...this.#before, ...(this.#feed?.updates(this.#token) ?? [])]
  }

  close(): void {
    this.#before.push(...(this.#feed?.updates(this.#token) ?? []))
    this.#feed?.close()
    this.#feed = null
  }
}
