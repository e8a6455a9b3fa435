import { setTimeout as pause } from 'node:timers/promises'
import type { IndexerHealth } from '#resources/health.ts'
import { spawnService } from '#test/support/service.ts'
import { type ProcessUsage, treeUsage } from './processUsage.ts'

export type Settings = Readonly<Record<string, string>>

/** The service as a process of its own. */
export interface MeasuredService {
  readonly url: string
  readonly port: number
  /** Resolves once its health reports the block as indexed. @throws `Error` when the process ends before, or after ten minutes */
  indexed(block: number): Promise<void>
  /** The JSON of a path. @throws `Error` when the answer is not 200 */
  json(path: string): Promise<unknown>
  /** Of the process and those that it has started. */
  usage(): Promise<ProcessUsage>
  stop(): Promise<void>
}

const POLL_MS = 20
const INDEX_TIMEOUT_MS = 600_000

/** Nothing of a benchmark is refused, and clients may say which address they have. */
const WITHOUT_LIMITS: Settings = {
  PORT: '0',
  CONFIRMATIONS: '0',
  RATE_LIMIT_PER_MINUTE: '0',
  MAX_CONNECTIONS: '100000',
  MAX_CONNECTIONS_PER_IP: '100000',
  MAX_SUBSCRIPTIONS_PER_CONNECTION: '10000',
  MAX_MESSAGES_PER_SECOND: '100000',
  TRUST_PROXY: '1',
  LOG_LEVEL: 'warn',
}

/**
 * Starts a service and waits until it listens.
 *
 * @param main the script that starts it, as an absolute path
 * @param folder its working directory
 */
export async function startMeasuredService(main: string, folder: string, settings: Settings): Promise<MeasuredService> {
  const { process: child, exited, output } = spawnService({ ...WITHOUT_LIMITS, ...settings }, folder, main)
  const ended = exited.then(code => Promise.reject(new Error(`the service ended with ${code}:\n${output()}`)))
  // Awaited together with what the service is asked for.
  ended.catch(() => undefined)
  const listening = new Promise<string>(resolve => {
    child.on('message', message => {
      const { type, url } = message as { readonly type: string; readonly url: string }
      if (type === 'listening') resolve(url)
    })
  })
  const url = await Promise.race([listening, ended])
  const json = async (path: string): Promise<unknown> => {
    const response = await fetch(`${url}${path}`)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const waitFor = async (block: number) => {
    const deadline = performance.now() + INDEX_TIMEOUT_MS
    while (performance.now() < deadline) {
      // While the service is not well the status is 503, with the same body.
      const { indexedBlock } = (await (await fetch(`${url}/api/indexer/health`)).json()) as IndexerHealth
      if (Number(indexedBlock ?? -1) >= block) return
      await pause(POLL_MS)
    }
    throw new Error(`block ${block} was not indexed in time:\n${output()}`)
  }
  return {
    url,
    port: Number(new URL(url).port),
    indexed: block => Promise.race([waitFor(block), ended]),
    json,
    usage: async () => {
      const usage = await treeUsage(child.pid ?? 0)
      if (usage === null) throw new Error('the usage of a process is read from /proc, which only Linux has')
      return usage
    },
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
