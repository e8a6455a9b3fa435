import type { ChainSource } from '#chain/chainSource.ts'
import { type Found, type Unknowns, unknownsOf } from '#index/unknowns.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'

export type ChainFacts = Pick<ChainSource, 'senders' | 'answers'>

const NOTHING: Found = { senders: new Map(), answers: new Map() }

/** Asks the chain for what these events need and no log contains: senders of transactions, and answers of calls. */
export async function findUnknowns(events: readonly TokenEvent[], facts: ChainFacts): Promise<Found> {
  const { transactions, calls }: Unknowns = unknownsOf(events)
  if (transactions.length === 0 && calls.length === 0) return NOTHING
  const [senders, answers] = await Promise.all([
    transactions.length === 0 ? NOTHING.senders : facts.senders(transactions),
    calls.length === 0 ? NOTHING.answers : facts.answers(calls),
  ])
  return { senders, answers }
}
