import { effect, type ReadonlySignal, untracked } from '@preact/signals'
import type { Token, Trade } from '#client/generated/types.ts'
import type { Tokenwire } from '#client/tokenwire.ts'

/** How many of the creator's newest trades are marked, besides those that arrive later. */
const MAX_TRADES = 100

/** An event that the chart marks. */
export interface ChartMark {
  readonly kind: 'launch' | 'graduation' | 'creatorBuy' | 'creatorSell'
  /** Unix seconds. */
  readonly time: number
}

interface ChartMarksOptions {
  readonly client: Tokenwire
  readonly token: ReadonlySignal<Token | null>
  readonly trades: ReadonlySignal<readonly Trade[] | null>
  /** A change makes the creator's trades load again: the page was away. */
  readonly returns: ReadonlySignal<number>
  /** Gets all marks in the order of time. */
  readonly onMarks: (marks: readonly ChartMark[]) => void
}

/** Follows the launch, the graduation and the creator's trades of a token. Returns a function that stops it. */
export function followChartMarks({ client, token, trades, returns, onMarks }: ChartMarksOptions): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const byCreator = new Map<string, Trade>()
  let shown = ''

  function show(): void {
    const current = token.peek()
    if (current === null) return
    const newest = trades.peek() ?? []
    // The newest trades have no gap: one of their time that is not among them was removed by a reorg.
    const oldest = newest.at(-1)
    const ids = new Set(newest.map(({ id }) => id))
    for (const [id, { blockNumber }] of byCreator)
      if (oldest && !ids.has(id) && Number(blockNumber) > Number(oldest.blockNumber)) byCreator.delete(id)
    for (const trade of newest) if (trade.maker === current.creator) byCreator.set(trade.id, trade)
    const { migratedAt } = current.graduation
    const marks: ChartMark[] = [{ kind: 'launch', time: secondsOf(current.createdAt) }]
    if (migratedAt !== null) marks.push({ kind: 'graduation', time: secondsOf(migratedAt) })
    for (const { side, timestamp } of byCreator.values())
      marks.push({ kind: side === 'buy' ? 'creatorBuy' : 'creatorSell', time: secondsOf(timestamp) })
    const key = JSON.stringify(marks)
    if (key !== shown) onMarks(marks.sort((a, b) => a.time - b.time))
    shown = key
  }

  async function load(): Promise<void> {
    const current = token.peek()
    if (current === null) return
    const result = await client.trades(current.address, { maker: current.creator, limit: MAX_TRADES }, { signal })
    if (signal.aborted || !result.ok) return
    byCreator.clear()
    for (const trade of result.value.data) byCreator.set(trade.id, trade)
    show()
  }

  const stopLoading = effect(() => {
    void returns.value
    untracked(() => void load())
  })
  const stopFollowing = effect(() => {
    void [trades.value, token.value]
    untracked(show)
  })
  return () => {
    ending.abort()
    stopLoading()
    stopFollowing()
  }
}

const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1_000)
