import { createRandom } from '#devchain/traders/random.ts'
import type { FakeCall, Misbehaviour } from '#test/support/fakeProvider.ts'
import { type Scenario, seconds } from './scenario.ts'
import { BLOCK_SECONDS, TWO_TRADES } from './world/chain.ts'
import { marketEvents } from './world/market.ts'
import { rangeBlocks } from './world/node.ts'
import { until } from './world/until.ts'
import type { World } from './world/world.ts'

const BLOCK_MS = BLOCK_SECONDS * 1_000

const ERRORS: Misbehaviour = { kind: 'error', code: -32_603, message: 'internal error' }
const RATE_LIMIT: Misbehaviour = { kind: 'http', status: 429, body: '{"error":"rate limit exceeded"}' }
const BAD_GATEWAY: Misbehaviour = { kind: 'http', status: 502, body: '<html>502 Bad Gateway</html>' }
const SILENCE: Misbehaviour = { kind: 'hang' }
const OUTAGES = [ERRORS, RATE_LIMIT, BAD_GATEWAY, SILENCE]

const isBlock = ({ method }: FakeCall) => method.startsWith('eth_getBlockBy')
const onlyFor = (fits: (call: FakeCall) => boolean, fault: Misbehaviour) => (call: FakeCall) => (fits(call) ? fault : undefined)
const NULL: Misbehaviour = { kind: 'result', result: null }
/** What a bad hour brings, in turn. */
const SEVEN_FAULTS: readonly ((call: FakeCall) => Misbehaviour | undefined)[] = [
  () => ERRORS,
  () => RATE_LIMIT,
  () => BAD_GATEWAY,
  () => ({ kind: 'half' }),
  () => ({ kind: 'reset' }),
  onlyFor(isBlock, NULL),
  onlyFor(({ method }) => method === 'eth_getLogs', SILENCE),
]

function expectUp(here: World): void {
  if (!here.isUp) throw new Error(`the service has ended: ${here.service.output().slice(-500)}`)
}

export const RPC_FAULTS: readonly Scenario[] = [
  {
    group: 'RPC faults',
    name: 'the node fails in four ways for 30 s each',
    checks: [
      'stays up while the node fails',
      'resumes once the node answers again',
      'loses nothing to failed requests',
      'asks a failing node less than twenty times as often',
    ],
    run: async ({ world, lasting, passed }) => {
      const here = await world()
      await here.start()
      await here.matches()
      const ticks = here.ticking(BLOCK_MS)
      const requestsMeanwhile = async () => {
        const before = here.node.requests()
        await lasting(30)
        return here.node.requests() - before
      }
      const healthy = await requestsMeanwhile()
      let most = 0
      let slowest = 0
      for (const fault of OUTAGES) {
        here.node.view.fault = () => fault
        most = Math.max(most, await requestsMeanwhile())
        expectUp(here)
        const at = here.chain.head.number
        here.node.view.fault = () => undefined
        const healedAt = performance.now()
        await here.reached(at)
        slowest = Math.max(slowest, performance.now() - healedAt)
      }
      passed('stays up while the node fails')
      passed('resumes once the node answers again', `after ${(slowest / 1_000).toFixed(1)} s at most`)
      if (most >= 20 * healthy) throw new Error(`${most} requests, ${healthy} when healthy`)
      passed('asks a failing node less than twenty times as often', `${(most / healthy).toFixed(1)} times`)
      ticks.stop()
      await here.matches()
      passed('loses nothing to failed requests')
    },
  },
  {
    group: 'RPC faults',
    name: 'one request in eight is broken in seven ways for two minutes',
    checks: ['stays up and catches up after two minutes of faults', 'loses nothing to them', 'counts nothing twice when it asks again'],
    run: async ({ world, lasting, passed, seed }) => {
      const here = await world({ blocks: 2_500, node: { limits: { blocks: 40 }, answerMs: 20 } })
      const random = createRandom(seed)
      let broken = 0
      let request = -1
      let breaks = false
      const fault = (call: FakeCall, of: number) => {
        // One throw of the dice for all calls of a batch.
        if (request !== here.node.requests()) breaks = random.chance(1 / 8)
        request = here.node.requests()
        const misbehaviour = breaks ? SEVEN_FAULTS[of]?.(call) : undefined
        if (misbehaviour !== undefined) broken++
        return misbehaviour
      }
      await here.start()
      const ticks = here.ticking(BLOCK_MS)
      for (let turn = 0; turn < 12; turn++) {
        here.node.view.fault = call => fault(call, turn % SEVEN_FAULTS.length)
        await lasting(10)
      }
      here.node.view.fault = () => undefined
      const healedAt = performance.now()
      ticks.stop()
      expectUp(here)
      await here.matches()
      passed('stays up and catches up after two minutes of faults', `${broken} calls broken, right after ${seconds(healedAt)}`)
      passed('loses nothing to them')
      passed('counts nothing twice when it asks again')
    },
  },
  {
    group: 'RPC faults',
    name: 'the node limits blocks per query',
    checks: ['finishes under a limit of 1,000 blocks', 'asks for wide ranges again once the limit is gone'],
    run: async ({ world, passed }) => {
      // More logs per block would bound the ranges, too.
      const contents = (number: number, branch: number) => (number % 50 === 1 ? TWO_TRADES(number, branch) : [])
      const here = await world({ blocks: 3_000, contents, node: { limits: { blocks: 1_000 } } })
      await here.start()
      await here.matches()
      passed('finishes under a limit of 1,000 blocks')
      await widensAgain(here)
      passed('asks for wide ranges again once the limit is gone', `${widest(here)} blocks`)
    },
  },
  {
    group: 'RPC faults',
    name: 'the node limits logs per answer',
    checks: ['finishes under a limit of 10,000 logs'],
    run: async ({ world, passed }) => {
      const here = await world({
        blocks: 1_500,
        contents: (number, branch) => marketEvents(number, branch, 8),
        node: { limits: { logs: 10_000 } },
      })
      await here.start()
      await here.matches()
      passed('finishes under a limit of 10,000 logs')
    },
  },
  {
    group: 'RPC faults',
    name: 'the node contradicts itself',
    checks: [
      'rewinds nothing when the node shows a lower head',
      'counts logs once that the node gives twice',
      'waits for blocks that half of the look-ups do not find for 20 s',
      'goes on when a block is replaced while it is asked for',
    ],
    run: async ({ world, lasting, passed, seed }) => {
      const here = await world({ node: { duplicates: true } })
      const { view } = here.node
      const { chain } = here
      await here.start()
      await here.matches()
      chain.grow(3)
      await here.matches()
      passed('counts logs once that the node gives twice')
      view.duplicates = false

      view.lag = 6
      const stood = await here.cursor()
      let lowest = stood
      const watch = setInterval(() => void here.cursor().then(at => (lowest = Math.min(lowest, at))), 100)
      await lasting(20)
      clearInterval(watch)
      view.lag = 0
      chain.grow(2)
      await here.matches()
      expectUp(here)
      if (lowest < stood) throw new Error(`it went back from block ${stood} to ${lowest}`)
      passed('rewinds nothing when the node shows a lower head')

      const random = createRandom(seed)
      view.fault = call => (isBlock(call) && random.chance(0.5) ? NULL : undefined)
      const ticks = here.ticking(500)
      await lasting(20)
      ticks.stop()
      view.fault = () => undefined
      await here.matches()
      passed('waits for blocks that half of the look-ups do not find for 20 s')

      let replaced = 0
      view.onCall = ({ method, params: [filter] }) => {
        const asked = (filter as { blockHash?: unknown } | undefined)?.blockHash
        if (replaced >= 3 || method !== 'eth_getLogs' || asked !== chain.head.hash) return
        replaced++
        chain.replace(1)
      }
      chain.grow(1)
      await until('a block is replaced three times while it is asked for', () => replaced === 3)
      await here.matches()
      expectUp(here)
      passed('goes on when a block is replaced while it is asked for')
    },
  },
  {
    group: 'RPC faults',
    name: 'the node stops announcing heads',
    checks: ['follows when its subscription goes quiet', 'follows blocks that are never announced'],
    run: async ({ world, passed }) => {
      const here = await world({ webSocket: true })
      const { view } = here.node
      await here.start()
      await here.matches()
      here.chain.grow(2)
      await here.matches()
      view.pushes = false
      here.chain.grow(2)
      const grownAt = performance.now()
      await here.matches()
      passed('follows when its subscription goes quiet', seconds(grownAt))

      const quiet = await world({ webSocket: true, node: { pushes: false } })
      await quiet.start()
      await quiet.matches()
      quiet.chain.grow(2)
      const quietlyAt = performance.now()
      await quiet.matches()
      passed('follows blocks that are never announced', seconds(quietlyAt))
    },
  },
]

/** The widest range that was asked for. */
const widest = (here: World) => Math.max(...here.node.calls.map(rangeBlocks))

/** Lifts the limits and lets the service fall far behind: it tries a wider range after 16 answers. */
async function widensAgain(here: World): Promise<void> {
  const limit = here.node.view.limits.blocks ?? 0
  here.node.view.limits = {}
  const asked = here.node.calls.length
  await here.chain.growFar(18_000)
  await here.matches()
  const widestNow = Math.max(...here.node.calls.slice(asked).map(rangeBlocks))
  if (widestNow <= limit) throw new Error(`it asked for ${widestNow} blocks at most`)
}
