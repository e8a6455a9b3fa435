/** A client may send the messages of this time at once. */
const BURST_MS = 4_000

/** A tolerance for rounding errors, which could cost a client the last message of its burst. */
const TOLERANCE_MS = 1e-6

/**
 * The generic cell rate algorithm. A client's state is the time at which its messages so far would end if they were evenly spaced, 0 for a
 * new one. Returns the new state; `null`: the message exceeds the rate.
 */
export function takeMessage(busyUntilMs: number, nowMs: number, perSecond: number): number | null {
  const until = Math.max(busyUntilMs, nowMs) + 1_000 / perSecond
  return until - nowMs <= BURST_MS + TOLERANCE_MS ? until : null
}
