/** So much of the rate may come at once. */
const BURST_MS = 4_000

/** Rounding must not cost a client the last message of its burst. */
const TOLERANCE_MS = 1e-6

/**
 * Lets through so many messages a second on average and four seconds' worth at once. What is remembered of a client is one number: until when
 * its messages would take if they were spread over time (the generic cell rate algorithm).
 *
 * @param paidUntilMs what the last call returned; anything that is past: nothing was sent lately
 * @param nowMs monotonic
 * @returns the number to remember; `null`: the message is one too many
 */
export function takeMessage(paidUntilMs: number, nowMs: number, perSecond: number): number | null {
  const until = Math.max(paidUntilMs, nowMs) + 1_000 / perSecond
  return until - nowMs <= BURST_MS + TOLERANCE_MS ? until : null
}
