import { numberToHex } from 'viem'
import type { FakeCall } from '#test/support/fakeProvider.ts'
import { type Scenario, seconds } from './scenario.ts'
import type { RawLog } from './world/chain.ts'
import { mint, tokenAt } from './world/market.ts'
import { type NodeView, startNode } from './world/node.ts'

/** Later than any clock shows, and the chain's times are of 2023. */
const AHEAD_SECONDS = 20 * 365 * 86_400

const isLogs = ({ method }: FakeCall) => method === 'eth_getLogs'
const isHeader = ({ method, params }: FakeCall) => method.startsWith('eth_getBlockBy') && params[0] !== '0x0'

/** What the preferred one of two providers does to its answers. */
const LIES: readonly {
  readonly check: string
  readonly view: Partial<NodeView>
  /** Whether blooms can't show it. */
  readonly needsReceipts?: boolean
}[] = [
  {
    check: 'is right when the preferred provider leaves out the last log of each answer',
    view: { alter: (call, answer) => (isLogs(call) ? (answer as readonly RawLog[]).slice(0, -1) : answer) },
    needsReceipts: true,
  },
  {
    check: 'is right when it has no logs at all',
    view: { alter: (call, answer) => (isLogs(call) ? [] : answer) },
  },
  {
    check: 'is right when it makes up a log in each answer',
    view: { alter: (call, answer) => (isLogs(call) ? withInvented(answer as readonly RawLog[]) : answer) },
    needsReceipts: true,
  },
  { check: 'is right when it gives every log twice', view: { duplicates: true } },
  { check: 'is right when it is 50 blocks behind', view: { lag: 50 } },
  {
    check: 'is right when its blocks are of the future',
    view: {
      alter: (call, answer) => {
        if (!isHeader(call) || answer === null) return answer
        const header = answer as Readonly<Record<string, unknown>>
        return { ...header, timestamp: `0x${(Number(header['timestamp']) + AHEAD_SECONDS).toString(16)}` }
      },
    },
  },
]

/** With one more log like the last one, of another amount. */
function withInvented(logs: readonly RawLog[]): readonly RawLog[] {
  const last = logs.at(-1)
  if (last === undefined) return logs
  return [...logs, { ...last, logIndex: numberToHex(Number(last.logIndex) + 1), data: last.data.replace(/.$/, '7') }]
}

export const LYING_PROVIDER: readonly Scenario[] = LIES.map(({ check, view, needsReceipts = false }) => ({
  group: 'one of two providers lies',
  name: check,
  checks: [check],
  run: async ({ world, passed, kind }) => {
    const here = await world({ blocks: 300 })
    here.others.push(await startNode(here.chain, view))
    // Where headers commit to receipts, and blooms fit, the logs of new blocks are compared with nothing else by default.
    await here.start(kind === 'honest' && needsReceipts ? { VERIFY_LOGS: 'receipts' } : {})
    await here.matches()
    const caughtUpAt = performance.now()
    here.chain.grow(1, () => [mint(tokenAt(0), tokenAt(1), 2n ** 256n - 1n)])
    here.chain.grow(3)
    await here.matches()
    here.chain.replace(3, 4)
    await here.matches()
    passed(check, `in ranges, at the head and over a reorg, ${seconds(caughtUpAt)}`)
  },
}))
