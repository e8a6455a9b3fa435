import { setTimeout as pause } from 'node:timers/promises'
import { parseEther } from 'viem'
import { WebSocket } from 'ws'
import { quantile } from '#benchmarks/harness/quantile.ts'
import { type DatabaseServer, startDatabaseServer } from '#benchmarks/service/databaseServer.ts'
import { buyOnCurve, type DevChain, launch, readLaunched } from '#devchain/actions.ts'
import { startAnvil } from '#devchain/anvil.ts'
import { createDevClient } from '#devchain/client.ts'
import { deploy } from '#devchain/deploy.ts'
import { startWatchdog } from '#devchain/startWatchdog.ts'
import type { Address } from '#domain/address.ts'
import { type Indexing, startTokenwire } from './arms.ts'
import { startPonder } from './peers.ts'

export interface LiveSettings {
  readonly blocks: number
  readonly blockTimeMs: number
  readonly ponder: boolean
}

/** From the moment at which the node has the block until a client has the trade. */
export interface LiveResult {
  readonly contestant: string
  readonly blocks: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

interface Market {
  readonly chain: DevChain
  readonly rpcUrl: string
  readonly token: Address
  /** Sends one trade and mines it. Resolves with the block's number and the time at which the node had it. */
  trade(): Promise<{ readonly block: number; readonly atMs: number }>
}

/** Resolves when a client has seen the trade of a block. */
type Seen = (block: number) => Promise<void>

/**
 * Each contestant in turn follows a small chain with one trade per block: Tokenwire with a WebSocket client, with pushed or polled
 * heads; Ponder with its API polled every few milliseconds, because it pushes nothing.
 */
export async function liveLatency(settings: LiveSettings, print: (text: string) => void): Promise<readonly LiveResult[]> {
  const watchdog = startWatchdog()
  const anvil = await startAnvil({ watchdog })
  const database = await startDatabaseServer()
  try {
    const client = createDevClient(anvil.url)
    const deployment = await deploy(client, {}, () => client.mine({ blocks: 1 }))
    const chain: DevChain = { client, deployment }
    const market = await openMarket(chain, anvil.url)
    const results: LiveResult[] = []
    const arms = [
      { contestant: 'tokenwire, heads pushed', rpcUrl: anvil.url.replace('http', 'ws'), start: startTokenwire, watch: watchTokenwire },
      { contestant: 'tokenwire, provider polled', rpcUrl: anvil.url, start: startTokenwire, watch: watchTokenwire },
      ...(settings.ponder ? [{ contestant: 'ponder', rpcUrl: anvil.url, start: startPonder, watch: watchPonder }] : []),
    ]
    for (const arm of arms) {
      const result = await takeTurn(arm, market, database, settings)
      print(`  ${arm.contestant}: ${result.p50Ms.toFixed(1)} ms`)
      results.push(result)
    }
    return results
  } finally {
    await database.stop()
    await anvil.stop()
    await watchdog.stop()
  }
}

async function openMarket(chain: DevChain, rpcUrl: string): Promise<Market> {
  const { client } = chain
  const [, creator, buyer] = (await client.getAddresses()) as Address[]
  if (creator === undefined || buyer === undefined) throw new Error('the chain has too few accounts')
  const hash = await launch(chain, { from: creator, name: 'Live', symbol: 'LIVE' })
  await client.mine({ blocks: 1 })
  const { token, curve } = readLaunched(await client.getTransactionReceipt({ hash }))
  return {
    chain,
    rpcUrl,
    token,
    trade: async () => {
      await buyOnCurve(chain, { from: buyer, curve, paidWei: parseEther('0.0001') })
      await client.mine({ blocks: 1 })
      const atMs = performance.now()
      return { block: Number(await client.getBlockNumber()), atMs }
    },
  }
}

interface LiveArm {
  readonly contestant: string
  readonly rpcUrl: string
  readonly start: typeof startTokenwire
  readonly watch: (indexing: Indexing, token: Address) => Promise<{ readonly seen: Seen; close(): void }>
}

const WARM_UP_BLOCKS = 5

async function takeTurn(
  { contestant, rpcUrl, start, watch }: LiveArm,
  market: Market,
  database: DatabaseServer,
  settings: LiveSettings,
): Promise<LiveResult> {
  const databaseUrl = await database.create('live')
  const { deployment, client } = market.chain
  const indexing = await start({ rpcUrl, databaseUrl, deployment })
  try {
    await indexing.indexed(Number(await client.getBlockNumber()))
    const { seen, close } = await watch(indexing, market.token)
    const latencies: number[] = []
    for (let index = -WARM_UP_BLOCKS; index < settings.blocks; index++) {
      // Irregular, so that blocks do not synchronise with polls.
      await pause(settings.blockTimeMs * (0.75 + ((index * 7 + 49) % 10) / 20))
      const { block, atMs } = await market.trade()
      await seen(block)
      if (index >= 0) latencies.push(performance.now() - atMs)
    }
    close()
    latencies.sort((a, b) => a - b)
    const at = (share: number) => quantile(latencies, share)
    return { contestant, blocks: latencies.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
  } finally {
    await indexing.stop()
    await database.drop('live')
  }
}

async function watchTokenwire({ url }: Indexing, token: Address) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/realtime`)
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  let newest = -1
  let waiting: (() => void) | null = null
  socket.on('message', data => {
    const message = JSON.parse((data as Buffer).toString()) as {
      readonly type: string
      readonly latestTrade?: { readonly blockNumber: string } | null
    }
    newest = Math.max(newest, Number(message.latestTrade?.blockNumber ?? -1))
    waiting?.()
  })
  socket.send(JSON.stringify({ type: 'subscribe', token }))
  const seen = (block: number) =>
    new Promise<void>(resolve => {
      waiting = () => {
        if (newest >= block) resolve()
      }
      waiting()
    })
  return { seen, close: () => socket.close() }
}

const PONDER_POLL_MS = 5

async function watchPonder({ url }: Indexing) {
  const newest = async () => {
    const query = '{ trades(orderBy: "blockNumber", orderDirection: "desc", limit: 1) { items { blockNumber } } }'
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const { data } = (await response.json()) as {
      readonly data: { readonly trades: { readonly items: readonly { readonly blockNumber: string }[] } }
    }
    return Number(data.trades.items[0]?.blockNumber ?? -1)
  }
  const seen = async (block: number) => {
    while ((await newest()) < block) await pause(PONDER_POLL_MS)
  }
  return { seen, close: () => undefined }
}
