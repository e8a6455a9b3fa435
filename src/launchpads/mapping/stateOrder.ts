import type { TokenEvent } from '#launchpads/tokenEvent.ts'

/**
 * Puts the state that a contract reports after a trade before that trade, so that the trade has the price that it leaves. A trade takes one
 * state only; states without such a trade stay where they are.
 *
 * @param events of one transaction, in order
 * @param states those of the events that belong to the trade before them
 */
export function statesWithTrades(events: readonly TokenEvent[], states: ReadonlySet<TokenEvent>): readonly TokenEvent[] {
  if (states.size === 0) return events
  const ordered: TokenEvent[] = []
  /** The log that reported the state after each trade. */
  const reportedBy = new Map<TokenEvent, number>()
  for (const event of events) {
    const at = states.has(event) ? ordered.findLastIndex(({ kind, token }) => kind === 'trade' && token === event.token) : -1
    const trade = ordered[at]
    if (trade === undefined || (reportedBy.get(trade) ?? event.logIndex) !== event.logIndex) {
      ordered.push(event)
      continue
    }
    reportedBy.set(trade, event.logIndex)
    ordered.splice(at, 0, { ...event, logIndex: trade.logIndex })
  }
  return ordered
}
