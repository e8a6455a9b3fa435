import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { Subject } from 'rxjs'
import { parseEther } from 'viem'
import type { BlockFeed } from '#bus/blockFeed.ts'
import { type EncodedBlock, encodeBlock } from '#bus/encodedBlock.ts'
import { connectNats } from '#bus/natsConnection.ts'
import { createNatsFeed } from '#bus/natsFeed.ts'
import { createNatsOutlet } from '#bus/natsOutlet.ts'
import { createNotifyFeed } from '#bus/notifyFeed.ts'
import { createThreadFeed } from '#bus/threadFeed.ts'
import { buyOnCurve, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { startTestChain } from '#test/support/chain.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { openChainIndex } from '#test/support/indexChain.ts'
import { startNatsServer } from '#test/support/nats.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import type { ListeningCalls } from './servers/listeningCalls.ts'
import { quantile } from './support/quantile.ts'
import { Worker } from './support/worker.ts'

/*
 * npm run bench:carriers -- [blocks]. Real commits of a development chain into a durable PostgreSQL: what the announcement to gateways
 * costs a commit, how long each carrier takes from the end of the commit to a gateway's actors, and what listening gateways cost.
 */

const BLOCKS = Number(process.argv[2] ?? 300)
const BETWEEN_BLOCKS_MS = 50
const logger = pino({ level: 'silent' })
const now = () => performance.now()
const print = (text: string) => void process.stdout.write(`${text}\n`)
const stops: (() => Promise<unknown>)[] = []
/** What is stopped last is a process that does not keep this one alive. */
const alive = setInterval(() => {}, 1_000)

const folder = await makeTemporaryFolder()
stops.push(() => folder.remove())
const server = await startEmbedded({ dataDir: folder.path, logger })
stops.push(() => server.stop())
await migrate(server.url, logger)
const orm = createOrm(server.url, logger)
stops.push(() => orm.close(true))
const db = orm.em.getKysely<unknown>()
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
stops.push(() => chain.stop())

const [, creator, trader] = chain.accounts as unknown as [Address, Address, Address]
const { token, curve } = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP' })))

let announces = true
let commitMs = 0
let committedAtMs = 0
/** Times transactions, and leaves the announcement out where it is not wanted. */
const timed = (transaction: Transaction): Transaction => {
  return async work => {
    const beganAtMs = now()
    const result = await transaction(tx => work(announces ? tx : withoutAnnouncement(tx)))
    committedAtMs = now()
    commitMs = committedAtMs - beganAtMs
    return result
  }
}

function withoutAnnouncement(tx: Queryable): Queryable {
  const real = tx.getExecutor()
  const executor = new Proxy(real, {
    get: (_, name) => {
      if (name === 'executeQuery') {
        return (...call: Parameters<typeof real.executeQuery>) =>
          call[0].sql.includes('pg_notify') ? Promise.resolve({ rows: [] }) : real.executeQuery(...call)
      }
      const value: unknown = Reflect.get(real, name)
      return typeof value === 'function' ? value.bind(real) : value
    },
  })
  return { getExecutor: () => executor }
}

const index = await openChainIndex(chain, { orm, kysely: db }, null, undefined, () => true, timed)
await index.indexEach(chain.deployment.startBlock)
let paid = parseEther('0.001')
/** A block with one buy, committed. */
async function commit(): Promise<CommittedBlock> {
  paid += 1n
  const { blockNumber } = await chain.mined(buyOnCurve(chain, { from: trader, curve, paidWei: paid }))
  const [block] = await index.indexEach(Number(blockNumber))
  if (block === undefined) throw new Error('a block was not committed')
  return block
}

function row(name: string, values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  return `${name.padEnd(28)} p50 ${quantile(sorted, 0.5).toFixed(2)} ms   p99 ${quantile(sorted, 0.99).toFixed(2)} ms   n ${sorted.length}`
}

async function costOfAnnouncement(): Promise<void> {
  const costs: Record<'with' | 'without', number[]> = { with: [], without: [] }
  for (let round = 0; round < 2 * BLOCKS; round++) {
    announces = round % 2 === 0
    await commit()
    costs[announces ? 'with' : 'without'].push(commitMs)
  }
  announces = true
  print(row('commit without announcement', costs.without))
  print(row('commit with it', costs.with))
}

/** In turns, the commits of an indexer that 0, 1 and 10 gateways listen to; by NATS with the publication, as the indexer does it. */
async function costOfListeners(name: string, natsUrl: string | null, publish: (block: CommittedBlock) => void): Promise<void> {
  const listeners = Worker.start<ListeningCalls>(new URL('./servers/listeningProcess.ts', import.meta.url))
  const costs = new Map<number, number[]>([0, 1, 10].map(count => [count, []]))
  try {
    for (const count of [0, 1, 10, 10, 1, 0]) {
      await listeners.call('listen', { count, databaseUrl: server.url, natsUrl, chainId: chain.deployment.chainId, token })
      for (let round = 0; round < BLOCKS / 6; round++) {
        // Blocks are apart: the gateways have read the previous one.
        await pause(BETWEEN_BLOCKS_MS)
        const block = await commit()
        const beganAtMs = now()
        publish(block)
        costs.get(count)?.push(commitMs + now() - beganAtMs)
      }
    }
  } finally {
    await listeners.stop()
  }
  for (const [count, values] of costs) print(row(`commit, ${count} listen by ${name}`, values))
}

/** From the end of the commit until the feed hands the state over. */
async function latency(name: string, feed: BlockFeed, publish: (block: CommittedBlock) => void): Promise<void> {
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
      arrivedAtMs = now()
      onArrival()
    },
    sequence: () => held,
  })
  for (let round = 0; round < BLOCKS; round++) {
    const block = await commit()
    publish(block)
    await holds(block.tokens[0]?.token.sequence ?? 0)
    // The first ones wait for the connection.
    if (round >= 10) times.push(arrivedAtMs - committedAtMs)
  }
  print(row(name, times))
  await feed.stop()
}

const common = { databaseUrl: server.url, db, chainId: chain.deployment.chainId, logger, now, onReport: () => undefined }

async function overNats(program: string): Promise<void> {
  const nats = await startNatsServer(program)
  stops.push(() => nats.kill())
  const url = `nats://127.0.0.1:${nats.port}`
  const connect = () => connectNats({ urls: [url], credsFile: null, logger })
  const sender = await connect()
  stops.push(() => sender.close())
  const outlet = createNatsOutlet({ nats: sender, chainId: common.chainId, db, logger })
  await latency('NATS', createNatsFeed({ ...common, nats: await connect() }), block => outlet.publish(encodeBlock(block)))
  await costOfListeners('NATS', url, block => outlet.publish(encodeBlock(block)))
}

try {
  await costOfAnnouncement()
  const blocks = new Subject<EncodedBlock>()
  const nothing = () => undefined
  const thread = createThreadFeed({ blocks, watch: nothing, unwatch: nothing, stop: async () => undefined })
  await latency('same process', thread, block => blocks.next(encodeBlock(block)))
  await latency('NOTIFY', createNotifyFeed(common), nothing)
  await costOfListeners('NOTIFY', null, nothing)
  const program = findProgram({ names: ['nats-server'], aptPackage: 'nats-server' })
  if (program !== null) await overNats(program)
} finally {
  for (const stop of stops.reverse()) await stop()
  clearInterval(alive)
}
