import { setTimeout as pause } from 'node:timers/promises'

const POLL_MS = 50
/** Ends what hangs; it is no measure of speed. */
const LIMIT_SECONDS = 300

/**
 * Waits until the condition gives `wanted`. A condition that throws is not met yet: a database that is stopped can't be asked.
 *
 * @throws with what the condition gave last
 */
export async function until(
  what: string,
  condition: () => unknown,
  limitSeconds: number = LIMIT_SECONDS,
  wanted: unknown = true,
): Promise<void> {
  const deadline = performance.now() + limitSeconds * 1_000
  let last: unknown
  let askedAt: number
  do {
    askedAt = performance.now()
    try {
      last = await condition()
      if (last === wanted) return
    } catch (error) {
      last = error instanceof Error ? error.message : error
    }
    // A condition that reads much must not take the processor from the service.
    await pause(Math.max(POLL_MS, 3 * (performance.now() - askedAt)))
  } while (performance.now() < deadline)
  throw new Error(`not within ${limitSeconds} s: ${what} (${String(last)})`)
}
