import { fileURLToPath } from 'node:url'
import type { Environment } from '#configuration/settingTypes.ts'
import type { Watchdog } from '#devchain/startWatchdog.ts'
import { startNats } from './nats.ts'
import { PartEnded, rejectWhen } from './partEnded.ts'
import { type Listening, startServiceProcess } from './serviceProcess.ts'
import type { Shutdown } from './shutdown.ts'

const SERVICE = fileURLToPath(new URL('../../main.ts', import.meta.url))
const DEFAULT_PORT = 3_000

export interface ServicesOptions {
  /** Environment of the process that indexes. */
  readonly environment: Environment
  /** 0: one process does everything. */
  readonly gateways: number
  readonly watchdog: Watchdog
  readonly shutdown: Shutdown
}

export interface Services {
  /** URL of the first process that serves. */
  readonly url: string
  /** URLs of the other processes that serve. */
  readonly gatewayUrls: readonly string[]
  /** URL of an indexer that does not serve; `null`: there is none. */
  readonly indexerUrl: string | null
  readonly databaseUrl: string
  /** Rejects when one of the processes ends. */
  readonly ended: Promise<never>
}

/**
 * Starts the service: one process, or an indexer and gateways. They use NATS where `nats-server` is on the PATH.
 *
 * @throws `PartEnded` when one of the processes ends
 */
export async function startServices({ environment, gateways, watchdog, shutdown }: ServicesOptions): Promise<Services> {
  const start = async (env: Environment) => {
    shutdown.signal.throwIfAborted()
    const child = startServiceProcess({ script: SERVICE, env, watchdog })
    shutdown.add(() => child.stop())
    const ended = rejectWhen(child.exited, code => {
      const sentence = `The service ended unexpectedly${code === null ? '' : ` with code ${code}`}.`
      return new PartEnded(sentence, code === null || code === 0 ? 1 : code)
    })
    const listening: Listening = (await child.listening) ?? (await ended)
    return { ...listening, ended }
  }
  if (gateways === 0) {
    const { url, databaseUrl, ended } = await start(environment)
    return { url, gatewayUrls: [], indexerUrl: null, databaseUrl, ended }
  }
  const carrier = await natsSettings(environment, watchdog, shutdown)
  const indexer = await start({ ...environment, ...carrier, ROLE: 'indexer', PORT: '0' })
  const { databaseUrl } = indexer
  const text = environment['PORT']?.trim() ?? ''
  const port = text === '' ? DEFAULT_PORT : Number(text)
  const portOf = (index: number) => String(port === 0 ? 0 : port + index)
  const started = await Promise.all(
    Array.from({ length: gateways }, (_, index) =>
      start({ ...environment, ...carrier, ROLE: 'gateway', DATABASE_URL: databaseUrl, PORT: portOf(index) }),
    ),
  )
  const [url = '', ...gatewayUrls] = started.map(gateway => gateway.url)
  const ended = Promise.race([indexer, ...started].map(service => service.ended))
  ended.catch(() => undefined)
  return { url, gatewayUrls, indexerUrl: indexer.url, databaseUrl, ended }
}

async function natsSettings(environment: Environment, watchdog: Watchdog, shutdown: Shutdown): Promise<Environment> {
  if ((environment['NATS_URL']?.trim() ?? '') !== '') return {}
  const nats = await startNats(watchdog)
  if (nats === null) return {}
  shutdown.add(() => nats.stop())
  return { NATS_URL: nats.url }
}
