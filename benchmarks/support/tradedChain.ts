import pino from 'pino'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import { OBSERVED } from '#benchmarks/support/observedCommits.ts'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import type { Address, Hex } from '#domain/address.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { type Service, SOURCES, serviceFolder } from '#test/support/service.ts'

type Settings = Readonly<Record<string, string>>

/** The settings of a process that only serves. */
export const GATEWAY = { ROLE: 'gateway', RPC_URLS: '', LAUNCHPADS_FILE: '' } as const

/** Nothing of a benchmark is refused. */
const LIMITS = {
  MAX_CONNECTIONS: '100000',
  MAX_CONNECTIONS_PER_IP: '100000',
  MAX_SUBSCRIPTIONS_PER_CONNECTION: '10000',
  MAX_MESSAGES_PER_SECOND: '100000',
}
const FIRST_PAID_WEI = 10n ** 12n
/** As many fit into a block by their gas limit. */
const LAUNCHES_PER_BLOCK = 10

export interface MinedBlock {
  readonly number: number
  /** When the node had mined it, on the machine's monotonic clock. */
  readonly minedAtMs: number
}

/** A chain whose blocks trade each of its tokens, and a durable PostgreSQL for the processes that index and serve it. */
export interface TradedChain {
  readonly tokens: readonly Address[]
  readonly chainId: number
  readonly databaseUrl: string
  /** Of PostgreSQL. */
  readonly databasePid: number
  head(): Promise<number>
  /** Mines a block with a buy of each of these tokens, by their indexes. Default: all. */
  trade(tokens?: readonly number[]): Promise<MinedBlock>
  /** Starts `npm start` on chain and database. The caller ends it before `stop`. */
  start(settings: Settings): Promise<Service>
  /** Starts it so that it reports its commits (`observeService`). */
  startObserved(settings: Settings): Promise<Service>
  stop(): Promise<void>
}

export async function startTradedChain(tokens: number): Promise<TradedChain> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each()
  }
  try {
    const chain = await startTestChain()
    stops.push(() => chain.stop())
    const folder = await serviceFolder(chain)
    stops.push(() => folder.remove())
    const database = await startEmbedded({ dataDir: folder.folder, logger: pino({ level: 'silent' }) })
    stops.push(() => database.stop())
    const launched = await launchAll(chain, tokens)
    const common = { ...LIMITS, RPC_URLS: chain.anvil.url.replace('http', 'ws'), DATABASE_URL: database.url }
    let paidWei = FIRST_PAID_WEI
    return {
      tokens: launched.map(({ token }) => token),
      chainId: chain.deployment.chainId,
      databaseUrl: database.url,
      databasePid: database.pid,
      head: chain.head,
      trade: (of = [...launched.keys()]) => {
        paidWei++
        return tradeEach(
          chain,
          of.map(index => launched[index] as Launched),
          paidWei,
        )
      },
      start: settings => folder.start({ ...common, ...settings }),
      // The observer does not reach the RxJS inside the bundle.
      startObserved: settings => folder.start({ ...common, ...settings, ...OBSERVED }, SOURCES),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function launchAll(chain: TestChain, tokens: number): Promise<readonly Launched[]> {
  const [, from] = chain.accounts
  if (from === undefined) throw new Error('the chain has too few accounts')
  const launched: Launched[] = []
  while (launched.length < tokens) {
    const numbers = Array.from({ length: Math.min(LAUNCHES_PER_BLOCK, tokens - launched.length) }, (_, index) => launched.length + index)
    const hashes: Hex[] = []
    for (const n of numbers) hashes.push(await launch(chain, { from, name: `Token ${n}`, symbol: `T${n}` }))
    await chain.mine()
    for (const hash of hashes) launched.push(readLaunched(await chain.client.getTransactionReceipt({ hash })))
  }
  return launched
}

/** The traders send at the same time, each one transaction after another. */
async function tradeEach(chain: TestChain, tokens: readonly Launched[], paidWei: bigint): Promise<MinedBlock> {
  const traders = chain.accounts.slice(2)
  const buy = async (from: Address, trader: number) => {
    for (const [index, { curve }] of tokens.entries())
      if (index % traders.length === trader) await buyOnCurve(chain, { from, curve, paidWei })
  }
  await Promise.all(traders.map(buy))
  await chain.mine()
  const minedAtMs = monotonicMs()
  return { number: await chain.head(), minedAtMs }
}
