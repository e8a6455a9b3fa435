/** A client may send this much of its rate at once. */
const BURST_MS = 4_000

/** Keeps rounding errors from costing a client the last message of its burst. */
const TOLERANCE_MS = 1e-6

/**
 * Limits a client's messages per second, with bursts of four seconds' worth (the generic cell rate algorithm). The state per client is one
 * number: the time at which its messages so far would end if they were evenly spaced.
 *
 * @param busyUntilMs what the last call returned; 0 for a new client
 * @param nowMs monotonic
 * @returns the new state; `null`: the message exceeds the rate
 */
export function takeMessage(busyUntilMs: number, nowMs: number, perSecond: number): number | null {
  const until = Math.max(busyUntilMs, nowMs) + 1_000 / perSecond
  return until - nowMs <= BURST_MS + TOLERANCE_MS ? until : null
}
