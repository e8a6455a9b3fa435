import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'

/**
 * Time for each address of a name but the last, before the next address is tried. With Node's 250 ms, a provider whose far address answers
 * after 400 ms could not be reached when its other address had no route. An address without a route costs a new connection this time.
 */
const ATTEMPT_MS = 2_000

/** To be called once in each thread, before it connects to anything. */
export function allowSlowConnections(): void {
  setDefaultAutoSelectFamilyAttemptTimeout(ATTEMPT_MS)
}
