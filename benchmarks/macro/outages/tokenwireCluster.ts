import { once } from 'node:events'
import { GATEWAY, startTradedChain } from '#benchmarks/support/tradedChain.ts'
import type { Token } from '#domain/token.ts'
import type { Service } from '#test/support/service.ts'
import type { ServedCluster } from './servedCluster.ts'

const TOKENS = 10

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
  const services: Service[] = []
  const chain = await startTradedChain(TOKENS)
  const stop = async () => {
    for (const service of services.splice(0).reverse()) await kill(service)
    await chain.stop()
  }
  const start = async (role: Readonly<Record<string, string>>) => {
    const service = await chain.start({ ...role, ...env })
    services.push(service)
    return service
  }
  try {
    const writer = { ROLE: 'indexer', STANDBY: String(standby) }
    const indexer = await start(writer)
    const gateways: Service[] = []
    for (let index = 0; index < count; index++) gateways.push(await start(GATEWAY))
    const next = standby ? await start(writer) : indexer
    const [first] = gateways
    const last = gateways.at(-1)
    if (first === undefined || last === undefined) throw new Error('a cluster needs a gateway')
    await last.indexed(await chain.head())
    return {
      protocol: 'tokenwire',
      ports: gateways.map(({ url }) => Number(new URL(url).port)),
      tokens: chain.tokens,
      gateways,
      commit: async () => void (await chain.trade()),
      newest: async () => {
        await last.indexed(await chain.head())
        return Promise.all(chain.tokens.map(async token => (await getJson<Token>(`${last.url}/api/tokens/${token}`)).sequence))
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

async function getJson<T>(url: string): Promise<T> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return (await answer.json()) as T
}
