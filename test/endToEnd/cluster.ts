import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { IndexerHealth } from '#resources/health.ts'
import { startPatience } from '#test/support/patience.ts'
import type { Service, ServiceFolder } from '#test/support/service.ts'

type Settings = Readonly<Record<string, string>>

interface ClusterSettings {
  readonly writers: readonly [Settings, Settings]
  readonly gateways: readonly Settings[]
}

/** Two writers, of which one is the other's standby, and gateways: processes on one database, with a supervisor. */
export class Cluster {
  readonly writers: Service[] = []
  readonly gateways: Service[] = []
  readonly #folder: ServiceFolder
  readonly settings: ClusterSettings

  constructor(folder: ServiceFolder, settings: ClusterSettings) {
    this.#folder = folder
    this.settings = settings
  }

  async startWriter(): Promise<void> {
    this.writers.push(await this.#start(found(this.settings.writers[this.writers.length])))
  }

  async startGateways(): Promise<void> {
    this.gateways.push(...(await Promise.all(this.settings.gateways.map(settings => this.#start(settings)))))
  }

  gateway(index: number): Service {
    return found(this.gateways[index])
  }

  async restartGateway(index: number): Promise<void> {
    this.gateways[index] = await this.#start(found(this.settings.gateways[index]))
  }

  /** Starts the writers that have ended. One that finds itself replaced ends with 75, and is the next standby. */
  async supervise(): Promise<void> {
    for (const [index, { process: child, output }] of this.writers.entries()) {
      if (!hasEnded(child)) continue
      if (child.exitCode !== null && child.exitCode !== 75) throw new Error(`a writer ended with ${child.exitCode}:\n${output()}`)
      this.writers[index] = await this.#start(found(this.settings.writers[index]))
    }
  }

  /** The writer that has the database. */
  async indexer(): Promise<Service> {
    let current: Service | undefined
    await until('a writer has the database', async () => {
      await this.supervise()
      for (const writer of this.writers) if ((await isStandby(writer)) === false) current = writer
      return current !== undefined
    })
    return found(current)
  }

  async stop(): Promise<void> {
    await kill([...this.gateways, ...this.writers])
  }

  /** 75 says that another attempt may succeed, as when a busy server does not answer in time. */
  async #start(settings: Settings): Promise<Service> {
    for (;;) {
      const started = await this.#folder.start(settings).catch((error: Error) => error)
      if (!(started instanceof Error)) return started
      if (!started.message.includes('ended with 75')) throw started
    }
  }
}

export const hasEnded = ({ exitCode, signalCode }: Service['process']) => exitCode !== null || signalCode !== null

export async function kill(services: readonly Service[]): Promise<void> {
  for (const { process: child } of services) {
    if (hasEnded(child)) continue
    child.kill('SIGKILL')
    await once(child, 'close')
  }
}

export async function whileStopped({ process: child }: Service, happens: () => Promise<void>): Promise<void> {
  child.kill('SIGSTOP')
  await happens()
  child.kill('SIGCONT')
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const patience = startPatience()
  while (!(await isSo())) {
    if (patience.isOver()) throw new Error(`waited in vain until ${what}`)
    await pause(20)
  }
}

/** `null`: the process is ending and answers nothing. */
async function isStandby({ url }: Service): Promise<boolean | null> {
  const answer = await fetch(`${url}/api/indexer/health`).catch(() => null)
  return answer === null ? null : ((await answer.json()) as IndexerHealth & { standby: boolean }).standby
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is no such process')
  return value
}
