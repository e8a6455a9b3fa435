import { parseEther } from 'viem'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { BlockConsumer, BlockFeed } from '#bus/blockFeed.ts'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { type ChainIndex, openChainIndex } from '#test/support/indexChain.ts'

/* What every carrier has to do, over real commits of a real database. */

/** The indexer's side of a test file: two tokens on a chain, indexed into a database. */
export interface FeedSite {
  readonly database: TestDatabase
  readonly chainId: number
  /** The name under which the database is claimed. */
  readonly writer: string
  readonly alpha: Address
  readonly beta: Address
  /** Whether commits read the token's state, as an indexer in the same process does. */
  isWatched: (token: Address) => boolean
  /** Receives every commit after it has committed. */
  onCommitted: (block: CommittedBlock) => void
  /** Buys of a token in a block of its own, and commits that block. */
  buy(token: Address): Promise<void>
  /** The same with a transaction that fails at its end. */
  failToBuy(token: Address): Promise<void>
  stored(token: Address): Promise<TokenSnapshot>
}

export async function openSite(database: TestDatabase): Promise<FeedSite> {
  const chain: TestChain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
  const [, creator, alice] = chain.accounts as unknown as [Address, Address, Address]
  const launches: Launched[] = []
  for (const symbol of ['ALP', 'BET']) {
    launches.push(readLaunched(await chain.mined(launch(chain, { from: creator, name: symbol, symbol }))))
  }
  const [alpha, beta] = launches as [Launched, Launched]
  let fails = false
  const around = (transaction: Transaction): Transaction => {
    return work =>
      transaction(async tx => {
        const result = await work(tx)
        if (fails) throw new Error('the transaction fails')
        return result
      })
  }
  const index: ChainIndex = await openChainIndex(chain, database, null, undefined, token => site.isWatched(token), around)
  let paid = parseEther('0.001')
  let next = (await chain.head()) + 1
  const commit = async () => {
    for (const block of await index.indexEach(next)) site.onCommitted(block)
    next = (await chain.head()) + 1
  }
  const mineBuy = async (token: Address) => {
    paid += 1n
    const { curve } = token === alpha.token ? alpha : beta
    await chain.mined(buyOnCurve(chain, { from: alice, curve, paidWei: paid }))
  }
  const site: FeedSite = {
    database,
    chainId: chain.deployment.chainId,
    writer: index.writer,
    alpha: alpha.token,
    beta: beta.token,
    isWatched: () => false,
    onCommitted: () => undefined,
    buy: async token => {
      await mineBuy(token)
      await commit()
    },
    failToBuy: async token => {
      await mineBuy(token)
      fails = true
      await expect(commit()).rejects.toThrow('the transaction fails')
      fails = false
    },
    stored: async token => {
      const [snapshot] = await readSnapshots(database.kysely, { chainId: chain.deployment.chainId, addresses: [token] })
      if (snapshot === undefined) throw new Error(`${token} is not indexed`)
      return snapshot
    },
  }
  await index.indexEach(chain.deployment.startBlock)
  closers.push(() => chain.stop())
  return site
}

const closers: (() => Promise<void>)[] = []
export async function closeSites(): Promise<void> {
  for (const close of closers.splice(0)) await close()
}

/** Receives what a feed passes on, and holds the newest state per token, as the registry does. */
export class FeedWitness implements BlockConsumer {
  readonly states: TokenSnapshot[] = []
  readonly dropped: Address[] = []
  readonly #held = new Map<Address, number>()
  /** Reported since `forget`; with `null`, any may have changed. */
  readonly #changed = new Set<Address | null>()
  readonly #waiting = new Set<() => void>()

  changed(tokens: Iterable<Address> | null): void {
    for (const token of tokens ?? [null]) this.#changed.add(token)
    for (const look of this.#waiting) look()
  }

  hasChanged(token: Address): boolean {
    return this.#changed.has(token) || this.#changed.has(null)
  }

  forget(): void {
    this.#changed.clear()
  }

  dispatch(block: CommittedBlock): void {
    for (const state of block.tokens) {
      expect(this.hasChanged(state.token.address)).toBe(true)
      this.states.push(state)
      this.#held.set(state.token.address, state.token.sequence)
    }
    for (const token of block.dropped) {
      this.dropped.push(token)
      this.#held.delete(token)
    }
    for (const look of this.#waiting) look()
  }

  sequence(token: Address): number | null {
    return this.#held.get(token) ?? null
  }

  /** As an actor that has loaded the token. */
  hold(token: Address, sequence: number): void {
    this.#held.set(token, sequence)
  }

  async until(holds: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = () => {
      if (holds()) resolve()
    }
    this.#waiting.add(look)
    look()
    await promise
    this.#waiting.delete(look)
  }

  async untilHeld({ token: { address, sequence } }: TokenSnapshot): Promise<void> {
    await this.until(() => (this.sequence(address) ?? 0) >= sequence)
  }

  expectRising(): void {
    const newest = new Map<Address, number>()
    for (const { token } of this.states) {
      expect(token.sequence).toBeGreaterThanOrEqual(newest.get(token.address) ?? 0)
      newest.set(token.address, token.sequence)
    }
  }
}

/** Starts a feed until the test ends. Resolves with a witness that has the newest state: every later commit comes by itself. */
export async function startFeed(feed: BlockFeed, site: FeedSite): Promise<FeedWitness> {
  onTestFinished(() => feed.stop())
  const witness = new FeedWitness()
  feed.watch(site.alpha)
  feed.start(witness)
  await site.buy(site.alpha)
  await witness.untilHeld(await site.stored(site.alpha))
  return witness
}

/** @param open a feed of the site's commits that is not started yet */
export function feedCases(name: string, database: TestDatabase, open: (site: FeedSite) => Promise<BlockFeed>): void {
  describe(`a feed by ${name}`, () => {
    let site: FeedSite
    beforeAll(async () => {
      site = await openSite(database)
      return closeSites
    })

    const started = async (): Promise<{ feed: BlockFeed; witness: FeedWitness }> => {
      const feed = await open(site)
      return { feed, witness: await startFeed(feed, site) }
    }

    test('passes on the state of a watched token, as the database has it, and of no other', async () => {
      const { witness } = await started()
      await site.buy(site.beta)
      await site.buy(site.alpha)
      const stored = await site.stored(site.alpha)
      await witness.untilHeld(stored)
      expect(witness.states.at(-1)).toEqual(stored)
      expect(new Set(witness.states.map(({ token }) => token.address))).toEqual(new Set([site.alpha]))
    })

    test('says that a token changed which is not watched, and says it before its state', async () => {
      const { witness } = await started()
      witness.forget()
      await site.buy(site.beta)
      await witness.until(() => witness.hasChanged(site.beta))
      expect(witness.states.map(({ token }) => token.address)).not.toContain(site.beta)
    })

    test('passes on nothing of a transaction that fails', async () => {
      const { witness } = await started()
      const before = await site.stored(site.alpha)
      const { length } = witness.states
      await site.failToBuy(site.alpha)
      expect(await site.stored(site.alpha)).toEqual(before)
      await site.buy(site.alpha)
      const stored = await site.stored(site.alpha)
      await witness.untilHeld(stored)
      // The state before may come twice, read at the start and announced. The failed block is committed with the next one.
      const byBlock = Map.groupBy(witness.states.slice(length), ({ token }) => BigInt(token.asOfBlock))
      for (const [block, states] of byBlock) {
        expect(block).toBeGreaterThanOrEqual(BigInt(before.token.asOfBlock))
        expect(new Set(states.map(({ token }) => token.sequence)).size).toBe(1)
      }
      expect(witness.states.at(-1)).toEqual(stored)
    })

    test('ends with the newest state after many commits, in rising order', async () => {
      const { feed, witness } = await started()
      feed.watch(site.beta)
      for (let round = 0; round < 10; round++) await site.buy(round % 3 === 0 ? site.beta : site.alpha)
      for (const token of [site.alpha, site.beta]) {
        const stored = await site.stored(token)
        await witness.untilHeld(stored)
        expect(witness.states.findLast(state => state.token.address === token)).toEqual(stored)
      }
      witness.expectRising()
    })

    test('passes on nothing of a token that is no longer watched, and nothing after its stop', async () => {
      const { feed, witness } = await started()
      feed.watch(site.beta)
      feed.unwatch(site.alpha)
      const { length } = witness.states
      await site.buy(site.alpha)
      await site.buy(site.beta)
      await witness.untilHeld(await site.stored(site.beta))
      // A state may come twice.
      expect(new Set(witness.states.slice(length).map(({ token }) => token.address))).toEqual(new Set([site.beta]))
      await feed.stop()
      const passed = witness.states.length
      await site.buy(site.beta)
      expect(witness.states).toHaveLength(passed)
    })

    test('says that commits arrive and none waits', async () => {
      const { feed } = await started()
      await expect.poll(() => feed.health()).toMatchObject({ connected: true, waitingMs: 0 })
    })
  })
}
