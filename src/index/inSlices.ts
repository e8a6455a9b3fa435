import { setImmediate as turn } from 'node:timers/promises'

/** Work that can be interrupted between its steps. */
export type Steps<T> = Generator<void, T, void>

/** So long at most, about, is nobody else served: a page of the API takes less than ten times as much. */
const SLICE_MS = 4

/** Does the work, with a turn of the event loop between slices of a few milliseconds. The same result as `atOnce`. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  for (let endsAtMs = performance.now() + SLICE_MS; ; ) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() < endsAtMs) continue
    await turn()
    endsAtMs = performance.now() + SLICE_MS
  }
}

/** Does the work without interruption. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
