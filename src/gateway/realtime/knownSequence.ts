/** How far a sequence, which is a time in Unix milliseconds, may be in the future. The clocks of machines differ by less. */
const MAX_AHEAD_MS = 60_000

/**
 * The newest sequence that a client says it has. It may be above the token's present one, if another process has sent a newer state that
 * has not arrived here yet.
 *
 * @returns `null`: the client has none, or one from the future, which this service has not given
 */
export function knownSequence(sequence: number | null | undefined, epochMs: number): number | null {
  return sequence !== null && sequence !== undefined && sequence <= epochMs + MAX_AHEAD_MS ? sequence : null
}
