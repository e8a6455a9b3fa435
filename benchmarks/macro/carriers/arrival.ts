import type { Commits } from './commits.ts'
import type { Carrier } from './openCarriers.ts'

/** Not measured: the first commits find the feed without its connection. */
const WARM_UP_BLOCKS = 10

/** How long a state takes from the end of its commit until the carrier's feed hands it to the actors, in ms. */
export async function measureArrival({ commit, token }: Commits, carrier: Carrier, blocks: number): Promise<readonly number[]> {
  const feed = await carrier.openFeed()
  const times: number[] = []
  let held = 0
  let arrivedAtMs = 0
  let onArrival = () => {}
  const holds = (sequence: number) =>
    new Promise<void>(resolve => {
      onArrival = () => {
        if (held >= sequence) resolve()
      }
      onArrival()
    })
  feed.watch(token)
  feed.start({
    changed: () => undefined,
    dispatch: block => {
      for (const state of block.tokens) held = Math.max(held, state.token.sequence)
      arrivedAtMs = performance.now()
      onArrival()
    },
    sequence: () => held,
  })
  try {
    for (let round = 0; round < WARM_UP_BLOCKS + blocks; round++) {
      // The state is read in any case, for its sequence.
      const { block, endedAtMs } = await commit()
      const arrived = holds(block.tokens[0]?.token.sequence ?? Number.POSITIVE_INFINITY)
      await carrier.publish(block)
      await arrived
      if (round >= WARM_UP_BLOCKS) times.push(arrivedAtMs - endedAtMs)
    }
  } finally {
    await feed.stop()
  }
  return times
}
