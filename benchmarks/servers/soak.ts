import type { Benchmark } from '#benchmarks/harness/benchmark.ts'
import { inSession } from './serverArms.ts'

const TOKENS = 500
const TOKENS_EACH = 5
const OF_A_BLOCK = { touched: 50, tokens: TOKENS, size: 'small' } as const
const EVERY_MS = 100
const PART_SECONDS = 10
/** Connections that are replaced in each part, the oldest first, half of them by a reset. */
const CHANGED_PER_PART = 50
const MEGABYTE = 2 ** 20

/** The same for minutes: shows what grows. */
export function soak({ connections, seconds }: { readonly connections: number; readonly seconds: number }): Benchmark {
  const parts = Math.ceil(seconds / PART_SECONDS)
  const settled = Math.ceil(parts / 4)
  return {
    name: `${seconds} s of soak, ${connections} connections`,
    about: `${connections} connections watch ${TOKENS_EACH} of ${TOKENS} tokens, of which 50 are updated 10 times a second; every 10 s ${CHANGED_PER_PART} connections are replaced; the growth from a quarter of the time to the end`,
    figures: [
      { name: 'heap grown', unit: 'MB', better: 'less' },
      { name: 'memory grown', unit: 'MB', better: 'less' },
      { name: 'deliveries', unit: '', better: 'more' },
      { name: 'slowest', unit: 'ms', better: 'less' },
    ],
    arms: [
      {
        name: 'tokenwire',
        measure: () =>
          inSession('tokenwire', async session => {
            const open = (count: number) =>
              session.open({
                connections: count,
                subscriptions: connection => Array.from({ length: TOKENS_EACH }, (_, n) => (connection * 7 + n * 97) % TOKENS),
              })
            await open(connections)
            let early = await session.usage({ collect: true })
            let deliveries = 0
            let slowest = 0
            for (let part = 0; part < parts; part++) {
              const { receipts, latenciesMs } = await session.feed({ ...OF_A_BLOCK, blocks: (PART_SECONDS * 1_000) / EVERY_MS }, EVERY_MS)
              deliveries += receipts.count
              slowest = latenciesMs.reduce((a, b) => Math.max(a, b), slowest)
              await session.close(part * CHANGED_PER_PART, CHANGED_PER_PART / 2)
              await session.close(part * CHANGED_PER_PART + CHANGED_PER_PART / 2, CHANGED_PER_PART / 2, { abrupt: true })
              await open(CHANGED_PER_PART)
              if (part + 1 === settled) early = await session.usage({ collect: true })
            }
            const end = await session.usage({ collect: true })
            return {
              'heap grown': (end.heapBytes - early.heapBytes) / MEGABYTE,
              'memory grown': (end.rssBytes - early.rssBytes) / MEGABYTE,
              deliveries,
              slowest,
            }
          }),
      },
    ],
  }
}
