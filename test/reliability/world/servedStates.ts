import { setTimeout as pause } from 'node:timers/promises'
import type { Address } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import type { Block } from './chain.ts'
import type { World } from './world.ts'

const NEWEST = 20

interface Watch {
  /** Ends it. `faults`: the answers that show a state which the chain never had. */
  stop(): Promise<{ readonly answers: number; readonly faults: readonly string[] }>
}

/** Reads the newest trades and a token over REST, again and again, and compares each answer with every state that the chain had so far. */
export function watchAnswers(here: World, token: Address): Watch {
  const seen: string[] = []
  const stopping = new AbortController()
  const read = async () => {
    const trades = await here.get<{ data: Trade[]; asOfBlock: string }>(`/api/trades?order=desc&limit=${NEWEST}`)
    seen.push(
      textOf(
        Number(trades.asOfBlock),
        trades.data.map(({ id, blockHash }) => `${id} ${blockHash}`),
      ),
    )
    const { market, asOfBlock } = await here.get<Token>(`/api/tokens/${token}`)
    seen.push(stateText(Number(asOfBlock), market.tradeCount))
  }
  const reading = (async () => {
    while (!stopping.signal.aborted) {
      await read()
      await pause(5)
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await reading
      const held = statesOf(here.chain.everyBlock(), token)
      return { answers: seen.length, faults: seen.filter(text => !held.has(text)) }
    },
  }
}

/** The answers that are right at one time or another: one for the end of each block that ever was the head. */
function statesOf(blocks: readonly Block[], token: Address): ReadonlySet<string> {
  const byHash = new Map(blocks.map(block => [block.hash, block]))
  const states = new Set<string>()
  for (const head of blocks) {
    const trades: string[] = []
    const own: number[] = []
    let tradeCount = 0
    for (let block: Block | undefined = head; block !== undefined; block = byHash.get(block.parentHash)) {
      for (const { event, logIndex } of block.events.toReversed()) {
        if (event.kind === 'trade') trades.push(`${block.number}-${logIndex} ${block.hash}`)
        if (event.token !== token) continue
        own.push(block.number)
        if (event.kind === 'trade') tradeCount++
      }
    }
    states.add(textOf(head.number, trades.slice(0, NEWEST)))
    states.add(stateText(own[0] ?? 0, tradeCount))
  }
  return states
}

const textOf = (asOf: number, trades: readonly string[]) => `newest trades as of ${asOf}: ${trades.join(', ')}`
const stateText = (asOf: number, trades: number) => `token as of ${asOf}: ${trades} trades`
