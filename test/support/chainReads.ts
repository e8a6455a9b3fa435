import { sql } from 'kysely'
import { parseAbi } from 'viem'
import { expect } from 'vitest'
import type { LaunchpadConfig } from '#config'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { ClaimableAmount } from '#resources/claimable.ts'
import type { Holder } from '#resources/holders.ts'
import type { Reads } from '#resources/reads.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { createReads } from '#store/reads/reads.ts'
import type { TestChain } from './chain.ts'
import { contractAt } from './contractAt.ts'
import type { TestDatabase } from './database.ts'

/** What the index of a test chain answers, in the words of a test. */
export interface ChainReads extends Reads {
  /** Fails when the index doesn't have the token. */
  tokenOf(address: Address): Promise<Token>
  /** Up to 500 trades, the oldest first. */
  tradesOf(address: Address): Promise<readonly Trade[]>
  /** The 100 largest, of every type. */
  holdersOf(address: Address): Promise<readonly Holder[]>
  claimableOf(address: Address, creator: Address): Promise<readonly ClaimableAmount[]>
}

export function chainReads(chain: TestChain, { kysely }: Pick<TestDatabase, 'kysely'>, launchpads: readonly LaunchpadConfig[]): ChainReads {
  const { chainId, weth } = chain.deployment
  const adapters = new Map(createAdapters({ weth, launchpads }).map(adapter => [adapter.launchpad, adapter]))
  const reads = createReads({
    db: kysely,
    chainId,
    weth,
    claimCall: ({ launchpad, ...target }) => adapters.get(launchpad)?.claimCall(target) ?? null,
    vestedOf: ({ launchpad, ...times }) => adapters.get(launchpad)?.vestedOf?.(times) ?? null,
  })
  return {
    ...reads,
    tokenOf: async address => (await reads.token({ address })) ?? expect.unreachable(`the index has no ${address}`),
    tradesOf: async address => (await reads.trades({ address, limit: 500, order: 'asc' }))?.data ?? [],
    holdersOf: async address => (await reads.holders({ address, limit: 100, excludeType: [] }))?.data ?? [],
    claimableOf: async (address, creator) => (await reads.claimable({ address, creator }))?.claimable ?? [],
  }
}

const ERC20 = parseAbi(['function balanceOf(address) view returns (uint256)', 'function totalSupply() view returns (uint256)'])

/** What an account holds of an ERC-20, or of ETH under the zero address, by the chain. */
export function balanceOf(chain: TestChain, currency: Address, holder: Address): Promise<bigint> {
  return currency === ZERO_ADDRESS
    ? chain.client.getBalance({ address: holder })
    : contractAt(chain, currency, ERC20).read('balanceOf', [holder])
}

/** Compares the holders of a token with its contract. Returns what type each has. */
export async function expectHolders(chain: TestChain, reads: ChainReads, token: Address): Promise<ReadonlyMap<Address, Holder['type']>> {
  const holders = await reads.holdersOf(token)
  for (const { address, balance } of holders) expect([address, balance]).toEqual([address, String(await balanceOf(chain, token, address))])
  expect(holders.reduce((sum, { balance }) => sum + BigInt(balance), 0n)).toBe(await contractAt(chain, token, ERC20).read('totalSupply'))
  return new Map(holders.map(({ address, type }) => [address, type]))
}

/**
 * Compares every indexed balance of a token with its contract, those of no holder too.
 *
 * @param unsaid accounts whose balances change without a transfer
 */
export async function expectBalances(
  chain: TestChain,
  { kysely }: Pick<TestDatabase, 'kysely'>,
  token: Address,
  unsaid: readonly Address[] = [],
): Promise<void> {
  const { rows } = await sql<{ holder: Address; balance: string }>`
    select holder, balance from balance where token = ${Buffer.from(token.slice(2), 'hex')}`.execute(kysely)
  expect(rows.length).toBeGreaterThan(2)
  for (const { holder, balance } of rows) {
    if (!unsaid.includes(holder)) expect([holder, BigInt(balance)]).toEqual([holder, await balanceOf(chain, token, holder)])
  }
}
