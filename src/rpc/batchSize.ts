/** How many calls a provider takes at once, as learned from what it refuses. */
export interface BatchSize {
  calls(): number
  /** A request of so many was answered. */
  answered(calls: number): void
  /** A request was refused; `fits`: so many would not have been. */
  refused(fits: number): void
}

/**
 * After so many full requests a quarter more is tried: the refusal may have meant a bad moment.
 *
 * @param most what is begun with
 * @param least whatever is refused
 */
export function createBatchSize(most: number, requestsBeforeMore: number, least = 1): BatchSize {
  let calls = most
  let full = 0
  return {
    calls: () => calls,
    answered: count => {
      if (count >= calls && ++full % requestsBeforeMore === 0) calls = Math.min(most, Math.ceil(calls * 1.25))
    },
    refused: fits => {
      calls = Math.max(least, Math.min(calls, fits))
    },
  }
}
