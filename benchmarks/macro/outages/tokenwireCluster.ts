import { once } from 'node:events'
import pino from 'pino'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#domain/token.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { type Service, serviceFolder } from '#test/support/service.ts'
import type { ServedCluster } from './servedCluster.ts'

const TOKENS = 10
const FIRST_PAID_WEI = 10n ** 12n

export interface TokenwireCluster extends ServedCluster {
  readonly gateways: readonly Service[]
  /** kill -9 of the process that indexes. */
  killIndexer(): Promise<void>
  /** Whether the standby indexes. */
  hasTakenOver(): Promise<boolean>
}

interface Settings {
  /** Default 2. */
  readonly gateways?: number
  readonly standby?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** An indexer and gateways as processes of their own, on one durable PostgreSQL, with a chain that has a block for each commit. */
export async function startTokenwireCluster({ gateways: count = 2, standby = false, env = {} }: Settings = {}): Promise<TokenwireCluster> {
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
    const tokens = await launchTokens(chain)
    const start = async (role: Readonly<Record<string, string>>) => {
      const limits = { MAX_CONNECTIONS_PER_IP: '100000', MAX_CONNECTIONS: '100000' }
      const service = await folder.start({ ...limits, ...role, ...env, DATABASE_URL: database.url })
      stops.push(() => kill(service))
      return service
    }
    const writer = { ROLE: 'indexer', STANDBY: String(standby), RPC_URLS: chain.anvil.url.replace('http', 'ws') }
    const indexer = await start(writer)
    const gateways: Service[] = []
    for (let index = 0; index < count; index++) gateways.push(await start({ ROLE: 'gateway', RPC_URLS: '', LAUNCHPADS_FILE: '' }))
    const next = standby ? await start(writer) : indexer
    const [first] = gateways
    const last = gateways.at(-1)
    if (first === undefined || last === undefined) throw new Error('a cluster needs a gateway')
    await last.indexed(await chain.head())
    let paidWei = FIRST_PAID_WEI
    return {
      protocol: 'tokenwire',
      ports: gateways.map(({ url }) => Number(new URL(url).port)),
      tokens: tokens.map(({ token }) => token),
      gateways,
      commit: async () => {
        paidWei += 1n
        await tradeAll(chain, tokens, paidWei)
      },
      newest: async () => {
        await last.indexed(await chain.head())
        return Promise.all(tokens.map(async ({ token }) => (await getJson<Token>(`${last.url}/api/tokens/${token}`)).sequence))
      },
      killFirst: () => kill(first),
      killIndexer: () => kill(indexer),
      hasTakenOver: async () => !(await getJson<{ readonly standby: boolean }>(`${next.url}/api/indexer/health`)).standby,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function kill({ process: child }: Service): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

async function launchTokens(chain: TestChain): Promise<readonly Launched[]> {
  const from = account(chain, 1)
  const launched: Launched[] = []
  for (let n = 0; n < TOKENS; n++)
    launched.push(readLaunched(await chain.mined(launch(chain, { from, name: `Token ${n}`, symbol: `T${n}` }))))
  return launched
}

/** Mines a block with a buy of each token. */
async function tradeAll(chain: TestChain, tokens: readonly Launched[], paidWei: bigint): Promise<void> {
  const from = account(chain, 2)
  for (const { curve } of tokens) await buyOnCurve(chain, { from, curve, paidWei })
  await chain.mine()
}

function account({ accounts }: TestChain, index: number): Address {
  const found = accounts[index]
  if (found === undefined) throw new Error('the chain has too few accounts')
  return found
}

async function getJson<T>(url: string): Promise<T> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return (await answer.json()) as T
}
