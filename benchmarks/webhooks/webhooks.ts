import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { quantile } from '#benchmarks/harness/quantile.ts'
import { deliverBlocks } from '#benchmarks/hotPaths/deliverBlocks.ts'
import type { HotPath, Turn } from '#benchmarks/hotPaths/hotPath.ts'
import { tokenPlan } from '#benchmarks/load/tokenPlan.ts'
import { type ConnectionPlan, textFrame, upgradeRequest } from '#benchmarks/load/wire.ts'
import type { MeasuredService } from '#benchmarks/service/measuredService.ts'
import type { Token } from '#resources/token.ts'
import { Receiver } from '#test/jobs/webhooks/receiver.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { eventsDue, expectEvents, type PriceBound, started, type TradedToken } from './webhookEvents.ts'

const TOKENS = 10
/** Of each token, besides one of its trades. */
const BOUNDS_PER_TOKEN = 9
const SUBSCRIPTIONS = 1_000
const SUBSCRIPTIONS_PER_ADDRESS = 10
const WARM_UP_BLOCKS = 8
const BLOCKS = 30
const FEWEST_BLOCKS = 4
const EVERY_MS = 200
/** Bounds are this far from each other, as a share of the price. A trade moves it by up to a tenth. */
const STEP = 0.002

const about = `${BLOCKS} blocks, one every ${EVERY_MS} ms, each with a trade of ${TOKENS} tokens: from the block to the update at a client`

/** Commits without webhooks, and beside a hundred of them and a thousand subscriptions to crossings. All events are checked. */
export const BESIDE_WEBHOOKS: readonly HotPath[] = [false, true].map(isBeside => ({
  name: isBeside ? `${TOKENS * (BOUNDS_PER_TOKEN + 1)} webhooks and ${SUBSCRIPTIONS} subscriptions to crossings` : 'none',
  about,
  figures: [
    { name: 'block to the client', unit: 'ms', better: 'less' },
    { name: 'service CPU per block', unit: 'ms', better: 'less' },
    { name: 'database CPU per block', unit: 'ms', better: 'less' },
  ],
  measure: async turn => {
    const folder = await makeTemporaryFolder()
    const receiver = await new Receiver().open()
    try {
      const traded = await readTraded(turn)
      if (isBeside) return await measureBeside(turn, traded, { receiver, file: path.join(folder.path, 'webhooks.json') })
      return await measureBlocks(turn, traded, await turn.start())
    } finally {
      await receiver.close()
      await folder.remove()
    }
  },
}))

/** The newest tokens, which don't graduate meanwhile: that would change a price without a trade. */
async function readTraded(turn: Turn): Promise<readonly TradedToken[]> {
  const service = await turn.start()
  await service.indexed(turn.contents.head)
  const { data } = (await service.json(`/api/tokens?limit=${turn.scaled(TOKENS)}`)) as { readonly data: readonly Token[] }
  await service.stop()
  return data.map(({ address, market }) => ({
    index: turn.contents.tokens.indexOf(address),
    address,
    price: Number(market.priceWeth),
  }))
}

async function measureBlocks(turn: Turn, traded: readonly TradedToken[], service: MeasuredService) {
  const load = await turn.startLoad()
  await service.indexed(turn.contents.head)
  await load.connect(service.port, [
    tokenPlan(
      service.port,
      traded.slice(0, 1).map(({ address }) => address),
    ),
  ])
  const block = traded.map(({ index }) => index)
  const blocksOf = (count: number) => Array.from({ length: Math.max(FEWEST_BLOCKS, turn.scaled(count)) }, () => block)
  const common = { turn, service, load, due: () => 1, afterBlock: () => pause(EVERY_MS) }
  await deliverBlocks({ ...common, blocks: blocksOf(WARM_UP_BLOCKS), isChecked: true })
  const { latenciesMs, serviceCpuMs, databaseCpuMs, blocks } = await deliverBlocks({ ...common, blocks: blocksOf(BLOCKS) })
  return {
    'block to the client': quantile([...latenciesMs], 0.5),
    'service CPU per block': serviceCpuMs / blocks,
    'database CPU per block': databaseCpuMs / blocks,
  }
}

/** @throws `Error` when an event is missing, comes twice or not in order */
async function measureBeside(
  turn: Turn,
  traded: readonly TradedToken[],
  { receiver, file }: { readonly receiver: Receiver; readonly file: string },
) {
  const bounds = traded.flatMap(token => boundsOf(token, BOUNDS_PER_TOKEN))
  const webhooks = [
    ...traded.map(({ address }) => receiver.config(`trades-${address}`, { channel: 'trades', filters: { tokens: address } })),
    ...bounds.map((bound, index) => receiver.config(`crossings-${index}`, { channel: 'crossings', filters: filtersOf(bound) })),
  ]
  await writeFile(file, JSON.stringify(webhooks))
  const service = await turn.start({ WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' })
  await started(turn.databaseUrl, webhooks.length)
  const subscribers = await turn.startLoad()
  const subscribed = traded.flatMap(token => boundsOf(token, turn.scaled(SUBSCRIPTIONS / TOKENS)))
  await subscribers.connect(
    service.port,
    subscribed.map((bound, index) => crossingsPlan(service.port, bound, Math.floor(index / SUBSCRIPTIONS_PER_ADDRESS))),
  )
  const figures = await measureBlocks(turn, traded, service)
  await expectEvents(receiver, await eventsDue({ service, after: turn.contents.head, traded, bounds }))
  return figures
}

/** Bounds around a price and not equal to it, every second one for falling prices. */
function boundsOf({ address, price }: TradedToken, count: number): readonly PriceBound[] {
  return Array.from({ length: count }, (_, index) => ({
    token: address,
    side: index % 2 === 0 ? 'above' : 'below',
    value: (price * (1 + STEP * (index + 0.25 - count / 2))).toFixed(20),
  }))
}

function filtersOf({ token, side, value }: PriceBound): Readonly<Record<string, string>> {
  return { tokens: token, of: 'priceWeth', [side]: value }
}

function crossingsPlan(port: number, bound: PriceBound, address: number): ConnectionPlan {
  return {
    isCounted: true,
    request: upgradeRequest('/realtime', `127.0.0.1:${port}`, [`X-Forwarded-For: 10.0.0.${address + 1}`]),
    greeting: textFrame(JSON.stringify({ type: 'subscribe', channel: 'crossings', filters: filtersOf(bound) })),
    ready: { text: '"type":"subscribed"', times: 1 },
  }
}
