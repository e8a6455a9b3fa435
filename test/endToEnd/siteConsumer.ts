import assert from 'node:assert/strict'
import { parseEther } from 'viem'
import type { z } from 'zod'
import { parseDecimal } from '#domain/decimal.ts'
import type { Candle } from '#resources/candles.ts'
import { geckoterminalAssetAnswer, geckoterminalEventsAnswer, latestBlockAnswer, pairAnswer } from '#resources/integrations/marketData.ts'

type Events = z.output<typeof geckoterminalEventsAnswer>['events']
export type SiteEvent = Events[number]
type Swap = Extract<SiteEvent, { eventType: 'swap' }>
type Pair = z.output<typeof pairAnswer>['pair']

/** Reads a service as GeckoTerminal does: from the last block that it has, inclusive, to the latest one, looking up what it does not know. */
export class SiteConsumer {
  /** Each block's events, in order. */
  readonly blocks = new Map<number, readonly SiteEvent[]>()
  readonly pairs = new Map<string, Pair>()
  readonly assets = new Map<string, z.output<typeof geckoterminalAssetAnswer>['asset']>()
  latest: number
  readonly #ask: (path: string) => Promise<unknown>
  readonly #launchpad: string
  readonly #blocksPerRequest: number

  constructor(
    ask: (path: string) => Promise<unknown>,
    { launchpad, from, blocksPerRequest }: { launchpad: string; from: number; blocksPerRequest: number },
  ) {
    this.#ask = ask
    this.latest = from
    this.#launchpad = launchpad
    this.#blocksPerRequest = blocksPerRequest
  }

  get events(): readonly SiteEvent[] {
    return [...this.blocks.values()].flat()
  }

  /** @throws `Error` when an answer is not what an earlier one led it to expect */
  async poll(): Promise<void> {
    const { block } = await this.#read(latestBlockAnswer, 'latest-block')
    if (block.blockNumber < this.latest) throw new Error(`the latest block fell from ${this.latest} to ${block.blockNumber}`)
    while (this.latest < block.blockNumber) {
      const to = Math.min(block.blockNumber, this.latest + this.#blocksPerRequest)
      await this.#readBlocks(this.latest, to)
      this.latest = to
    }
  }

  /** An answer as the contract says, and with nothing else in it. */
  async #read<S extends z.ZodType>(schema: S, path: string): Promise<z.output<S>> {
    const answered = await this.#ask(`/geckoterminal/${this.#launchpad}/${path}`)
    const parsed = schema.parse(answered)
    assert.deepEqual(parsed, answered)
    return parsed
  }

  async #readBlocks(from: number, to: number): Promise<void> {
    const { events } = await this.#read(geckoterminalEventsAnswer, `events?fromBlock=${from}&toBlock=${to}`)
    const byBlock = Map.groupBy(events, event => event.block.blockNumber)
    for (let number = from; number <= to; number++) {
      const found = byBlock.get(number) ?? []
      const known = this.blocks.get(number)
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(found)) throw new Error(`block ${number} has changed`)
      this.blocks.set(number, found)
    }
    for (const { pairId } of events) await this.#lookUp(pairId)
  }

  async #lookUp(id: string): Promise<void> {
    if (this.pairs.has(id)) return
    const { pair } = await this.#read(pairAnswer, `pair?id=${id}`)
    this.pairs.set(id, pair)
    for (const asset of [pair.asset0Id, pair.asset1Id]) {
      if (!this.assets.has(asset)) {
        this.assets.set(asset, (await this.#read(geckoterminalAssetAnswer, `asset?id=${asset}`)).asset)
      }
    }
  }

  /** What a pair holds after a block, by its last event up to then. */
  reservesAt(pairId: string, block: number): SiteEvent['reserves'] | undefined {
    return this.events.findLast(event => event.pairId === pairId && event.block.blockNumber <= block)?.reserves
  }

  /**
   * Candles of a token over all of its pairs. Each opens where the one before closed. Where a pair begins, the price at which it opened is
   * not known: `isOpening`.
   */
  candles(token: string, seconds: number): readonly (Omit<Candle, 'volume'> & { volume: bigint; isOpening: boolean })[] {
    const ofToken = (event: SiteEvent): event is Swap => event.eventType === 'swap' && this.pairs.get(event.pairId)?.asset0Id === token
    const swaps = this.events.filter(ofToken)
    const first = new Set([...Map.groupBy(swaps, ({ pairId }) => pairId).values()].map(([swap]) => swap))
    let before: string | null = null
    return [...Map.groupBy(swaps, ({ block }) => block.blockTimestamp - (block.blockTimestamp % seconds))].map(([time, traded]) => {
      const closes = traded.map(swap => swap.priceNative)
      const prices = [before ?? (closes[0] as string), ...closes]
      const sorted = prices.toSorted((a, b) => (parseDecimal(a) < parseDecimal(b) ? -1 : 1))
      const close = prices.at(-1) as string
      before = close
      const volume = traded.reduce((sum, { asset1In, asset1Out }) => sum + parseEther(asset1In ?? asset1Out ?? ''), 0n)
      const isOpening = traded.some(swap => first.has(swap))
      return {
        time,
        open: prices[0] as string,
        high: sorted.at(-1) as string,
        low: sorted[0] as string,
        close,
        volume,
        trades: traded.length,
        isOpening,
      }
    })
  }
}
