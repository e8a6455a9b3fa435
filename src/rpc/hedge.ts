import { faultOf } from './rpcFault.ts'

export interface Hedging {
  /** The time from one check of the request to the next. */
  readonly everyMs: number
  readonly maxSends: number
  /** Whether to send it once more, at the n-th check. */
  readonly mayRepeat: (check: number) => boolean
}

/**
 * Sends a request again while it is not answered: a provider that loses requests would cost the whole time limit for each of them. The
 * first answer or error counts; a timeout counts only when no other send is in flight.
 */
export async function hedge<T>(send: () => Promise<T>, { everyMs, maxSends, mayRepeat }: Hedging): Promise<T> {
  const outcome = Promise.withResolvers<T>()
  let [sends, inFlight, checks] = [0, 0, 0]
  const sendOnce = () => {
    sends++
    inFlight++
    send().then(outcome.resolve, (error: unknown) => {
      inFlight--
      if (inFlight === 0 || faultOf(error)?.kind !== 'timeout') outcome.reject(error)
    })
  }
  sendOnce()
  const timer = setInterval(() => {
    if (sends < maxSends && mayRepeat(++checks)) sendOnce()
  }, everyMs)
  try {
    return await outcome.promise
  } finally {
    clearInterval(timer)
  }
}
