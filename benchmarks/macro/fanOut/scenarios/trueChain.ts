import { setTimeout as pause } from 'node:timers/promises'
import { Load } from '#benchmarks/load/load.ts'
import { textFrame, upgradeRequest } from '#benchmarks/load/wire.ts'
import type { ObservedCommit } from '#benchmarks/servers/observeCommits.ts'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import { quantile } from '#benchmarks/support/quantile.ts'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { type Service, type ServiceFolder, serviceFolder } from '#test/support/service.ts'
import { TOKENWIRE } from '../arms.ts'
import type { Figures, Scenario } from '../scenario.ts'

interface TrueChainSettings {
  readonly connections: number
  readonly blocks: number
}

const TOKENS = 20
/** Tokens per connection. */
const TOKENS_EACH = 5
/** Traded tokens per block. */
const TRADED = 10
const EVERY_MS = 250
const WARM_UP_BLOCKS = 40
const RECEIVE_TIMEOUT_MS = 10_000

/** The whole service with its indexer, a database and a chain. */
export function trueChain({ connections, blocks }: TrueChainSettings): Scenario {
  return {
    name: `the true indexer and chain, ${connections} connections`,
    about: `npm start with its database, on anvil: ${blocks} blocks with trades of ${TRADED} tokens each, some ${EVERY_MS} ms apart; ${connections} connections watch ${TOKENS_EACH} of ${TOKENS} tokens`,
    arms: [TOKENWIRE],
    base: TOKENWIRE,
    mostRounds: 2,
    figures: [
      { name: 'commit to receipt, p50', unit: 'ms', better: 'less' },
      { name: 'p99', unit: 'ms', better: 'less' },
      { name: 'p99.9', unit: 'ms', better: 'less' },
      { name: 'mined to commit, p50', unit: 'ms', better: 'less' },
      { name: 'deliveries', unit: '', better: 'more' },
    ],
    async measure() {
      const chain = await startTestChain()
      try {
        const folder = await serviceFolder(chain)
        try {
          return await onChain(chain, folder, { connections, blocks })
        } finally {
          await folder.remove()
        }
      } finally {
        await chain.stop()
      }
    },
  }
}

async function onChain(chain: TestChain, folder: ServiceFolder, settings: TrueChainSettings): Promise<Figures> {
  const tokens = await launchTokens(chain)
  const service = await folder.start({
    NODE_OPTIONS: `--import=${new URL('../../../servers/observeCommits.ts', import.meta.url).href}`,
    RPC_URLS: chain.anvil.url.replace('http', 'ws'),
    MAX_CONNECTIONS_PER_IP: String(settings.connections),
  })
  const load = await Load.start()
  try {
    return await withClients({ chain, tokens, service, load }, settings)
  } finally {
    await load.stop()
    await service.stop()
  }
}

interface Running {
  readonly chain: TestChain
  readonly tokens: readonly Launched[]
  readonly service: Service
  readonly load: Load
}

async function withClients({ chain, tokens, service, load }: Running, { connections, blocks }: TrueChainSettings): Promise<Figures> {
  const commits: ObservedCommit[] = []
  service.process.on('message', message => {
    if ((message as { readonly type: string }).type === 'committed') commits.push(message as ObservedCommit)
  })
  await service.indexed(await chain.head())
  const { hostname, port } = new URL(service.url)
  await load.connect(
    Number(port),
    Array.from({ length: connections }, (_, connection) => subscribing(tokens, connection, `${hostname}:${port}`)),
  )
  await trade(chain, tokens, WARM_UP_BLOCKS)
  await load.begin()
  const mined = await trade(chain, tokens, blocks)
  const last = Math.max(...mined.keys())
  const deadline = monotonicMs() + RECEIVE_TIMEOUT_MS
  while (!commits.some(({ block }) => block === last)) {
    if (monotonicMs() > deadline) throw new Error(`block ${last} was not committed`)
    await load.idle(50)
  }
  const measured = commits.filter(({ block }) => mined.has(block))
  // Each token has connections × TOKENS_EACH ÷ TOKENS subscribers.
  const due = (measured.reduce((sum, { sequences }) => sum + sequences.length, 0) * connections * TOKENS_EACH) / TOKENS
  const { receipts: came } = await load.wait(due, RECEIVE_TIMEOUT_MS)
  if (came !== due) throw new Error(`${due} updates were due, ${came} came`)
  const receipts = await load.receipts()
  const completedAtMs = new Map(measured.flatMap(({ sequences, completedAtMs: at }) => sequences.map(sequence => [sequence, at] as const)))
  const latencies = Float64Array.from({ length: receipts.count }, (_, index) => {
    const at = completedAtMs.get(receipts.sequence(index))
    if (at === undefined) throw new Error(`nobody committed ${receipts.sequence(index)}`)
    return receipts.atMs(index) - at
  }).toSorted()
  const toCommit = Float64Array.from(measured, ({ block, completedAtMs: at }) => at - (mined.get(block) ?? at)).toSorted()
  return {
    'commit to receipt, p50': quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    'p99.9': quantile(latencies, 0.999),
    'mined to commit, p50': quantile(toCommit, 0.5),
    deliveries: receipts.count,
  }
}

async function launchTokens(chain: TestChain): Promise<readonly Launched[]> {
  const [, from] = chain.accounts
  if (from === undefined) throw new Error('the chain has too few accounts')
  const launched: Launched[] = []
  for (let n = 0; n < TOKENS; n++)
    launched.push(readLaunched(await chain.mined(launch(chain, { from, name: `Token ${n}`, symbol: `T${n}` }))))
  return launched
}

/** Mines blocks with trades. @returns the time at which the node had each block, by number */
async function trade(chain: TestChain, tokens: readonly Launched[], blocks: number): Promise<ReadonlyMap<number, number>> {
  const [, , from] = chain.accounts
  if (from === undefined) throw new Error('the chain has too few accounts')
  const mined = new Map<number, number>()
  for (let block = 0; block < blocks; block++) {
    const dueAtMs = monotonicMs() + EVERY_MS
    for (let n = 0; n < TRADED; n++) {
      const { curve } = tokens[(block * TRADED + n) % TOKENS] ?? {}
      if (curve !== undefined) await buyOnCurve(chain, { from, curve, paidWei: 10n ** 12n + BigInt(block) })
    }
    await chain.mine()
    const atMs = monotonicMs()
    mined.set(Number(await chain.client.getBlockNumber({ cacheTime: 0 })), atMs)
    await pause(Math.max(0, dueAtMs - monotonicMs()))
  }
  return mined
}

function subscribing(tokens: readonly Launched[], connection: number, host: string) {
  const own = Array.from({ length: TOKENS_EACH }, (_, n) => tokens[(connection + n * (TOKENS / TOKENS_EACH)) % TOKENS]?.token)
  // Claims the newest sequence, so that the server sends no snapshot.
  const messages = own.map(token => textFrame(JSON.stringify({ type: 'subscribe', token, sequence: Number.MAX_SAFE_INTEGER })))
  return {
    kind: 'webSocket',
    request: upgradeRequest('/realtime', host),
    greeting: Buffer.concat(messages),
    ready: { text: '"type":"subscribed', times: TOKENS_EACH },
  } as const
}

/** Nobody listens there. */
