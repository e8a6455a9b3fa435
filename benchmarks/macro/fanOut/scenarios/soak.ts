import { TOKENWIRE } from '../arms.ts'
import type { Scenario } from '../scenario.ts'
import { Session } from '../session.ts'

interface SoakSettings {
  readonly connections: number
  readonly seconds: number
}

const TOKENS = 500
const TOKENS_EACH = 5
const OF_A_BLOCK = { touched: 50, tokens: TOKENS, size: 'small' } as const
const EVERY_MS = 100
const PART_SECONDS = 10
/** Connections that are replaced in each part, the oldest first, half of them by a reset. */
const CHANGED_PER_PART = 50
const MEGABYTE = 2 ** 20

/** The same for ten minutes: shows what grows. */
export function soak({ connections, seconds }: SoakSettings): Scenario {
  const parts = Math.ceil(seconds / PART_SECONDS)
  const settled = Math.ceil(parts / 4)
  return {
    name: `${formatMinutes(seconds)} of soak, ${connections} connections`,
    about: `${connections} connections watch ${TOKENS_EACH} of ${TOKENS} tokens, of which 50 are updated 10 times a second; every 10 s ${CHANGED_PER_PART} connections are replaced; the growth from a quarter of the time to the end`,
    arms: [TOKENWIRE],
    base: TOKENWIRE,
    maxRounds: 1,
    figures: [
      { name: 'heap grown', unit: 'MB', better: 'less' },
      { name: 'memory grown', unit: 'MB', better: 'less' },
      { name: 'deliveries', unit: '', better: 'more' },
      { name: 'slowest', unit: 'ms', better: 'less' },
    ],
    async measure(arm) {
      const session = await Session.start(arm)
      const open = (count: number) =>
        session.open({
          connections: count,
          subscriptions: connection => Array.from({ length: TOKENS_EACH }, (_, n) => (connection * 7 + n * 97) % TOKENS),
        })
      try {
        await open(connections)
        let early = await session.usage({ collect: true })
        let deliveries = 0
        let slowest = 0
        for (let part = 0; part < parts; part++) {
          const { receipts, latenciesMs } = await session.feed({ ...OF_A_BLOCK, blocks: (PART_SECONDS * 1_000) / EVERY_MS }, EVERY_MS, {
            mayConflate: true,
          })
          deliveries += receipts.count
          slowest = latenciesMs.reduce((a, b) => (b > a ? b : a), slowest)
          await session.load.close(part * CHANGED_PER_PART, CHANGED_PER_PART / 2)
          await session.load.close(part * CHANGED_PER_PART + CHANGED_PER_PART / 2, CHANGED_PER_PART / 2, { abrupt: true })
          await open(CHANGED_PER_PART)
          if (part + 1 === settled) early = await session.usage({ collect: true })
        }
        const end = await session.usage({ collect: true })
        const { webSocketConnections = 0, conflatedTotal = 0 } = end.counters
        if (webSocketConnections !== connections) throw new Error(`${webSocketConnections} connections are open, not ${connections}`)
        if (conflatedTotal > 0) process.stderr.write(`${conflatedTotal} updates were conflated: the machine was too busy for this load\n`)
        return {
          'heap grown': (end.heapBytes - early.heapBytes) / MEGABYTE,
          'memory grown': (end.rssBytes - early.rssBytes) / MEGABYTE,
          deliveries,
          slowest,
        }
      } finally {
        await session.stop()
      }
    },
  }
}

function formatMinutes(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`
}
