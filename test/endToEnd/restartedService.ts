import { once } from 'node:events'
import { expect } from 'vitest'
import type { Address } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { sequenceFaults } from '#test/support/faults/sequenceWitness.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import type { Service, ServiceFolder } from '#test/support/service.ts'

/** A service that is killed and started again, and a client that subscribes to one token after each start. */
export class RestartedService {
  readonly #folder: ServiceFolder
  readonly #token: Address
  readonly #sequences: number[] = []
  #service: Service | null = null
  #feed: FeedClient | null = null

  constructor(folder: ServiceFolder, token: Address) {
    this.#folder = folder
    this.#token = token
  }

  get process(): Service {
    if (this.#service === null) throw new Error('the service has not been started')
    return this.#service
  }

  async start(env: Readonly<Record<string, string>>): Promise<void> {
    this.#service = await this.#folder.start(env)
    this.#feed = await openFeed(this.#service.url)
    this.#feed.send({ type: 'subscribe', token: this.#token })
  }

  /** Resolves when the process has been killed. */
  async killed(): Promise<void> {
    const [, signal] = await once(this.process.process, 'close')
    expect(signal).toBe('SIGKILL')
    this.#closeFeed()
  }

  /** What REST answers now. */
  async tokenNow(): Promise<Token> {
    return (await (await fetch(`${this.process.url}/api/tokens/${this.#token}`)).json()) as Token
  }

  /** The client's last update is what REST answers. */
  async expectDelivered(): Promise<void> {
    const last = await this.tokenNow()
    await this.#feed?.next(({ type, token }) => type === 'token.update' && (token as Token).sequence === last.sequence)
    expect(this.#feed?.updates(this.#token).at(-1)?.token).toEqual(last)
  }

  /** The client received more than `atLeast` updates in all, in order, and each with a sequence above `witnessedFrom` was committed. */
  async expectCommittedInOrder(db: Queryable, { atLeast, witnessedFrom = 0 }: { atLeast: number; witnessedFrom?: number }): Promise<void> {
    this.#closeFeed()
    expect(this.#sequences).toEqual(this.#sequences.toSorted((a, b) => a - b))
    expect(this.#sequences.length).toBeGreaterThan(atLeast)
    const told = this.#sequences.filter(sequence => sequence > witnessedFrom).map(sequence => ({ token: this.#token, sequence }))
    expect(await sequenceFaults(db, { told, violations: [] })).toEqual([])
  }

  /** Stops the service as an operator does; it has logged no fatal error. */
  async expectCleanStop(): Promise<void> {
    expect(this.process.output()).not.toMatch(/"level":60/)
    expect(await this.process.stop()).toBe(0)
  }

  /** For `afterAll`: ends the process if it still runs. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#feed?.close()
    const child = this.#service?.process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'close')
  }

  #closeFeed(): void {
    for (const { sequence } of this.#feed?.updates(this.#token) ?? []) this.#sequences.push(sequence)
    this.#feed?.close()
    this.#feed = null
  }
}
