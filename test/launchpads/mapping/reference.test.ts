import { parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import type { LaunchpadConfig } from '#config'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { runHistory } from '#devchain/history.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { ACCOUNTS_FOR_TRADERS, createTraders } from '#devchain/traders.ts'
import { ADAPTER_KINDS, createAdapters } from '#launchpads/registry.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'

const GENESIS = 1_790_000_000

const builtIn = await useDatabase()
const mapped = await useDatabase()

const chain = await startTestChain({ accounts: ACCOUNTS_FOR_TRADERS, timestamp: GENESIS, targetWei: parseEther('0.5') })
const random = createRandom(7)
const traders = await createTraders({ chain, random })
await runHistory({ traders, random, since: GENESIS + 10, now: () => GENESIS + 90_000, blocks: 40 })

describe('the reference launchpad through a mapping of its events', () => {
  it('gives the tables of the built-in one, row for row', async () => {
    await (await openChainIndex(chain, builtIn, null, entry(undefined))).indexRange(chain.deployment.startBlock)
    await (await openChainIndex(chain, mapped, null, entry(ownNames()))).indexRange(chain.deployment.startBlock)
    const [expected, tables] = [await dumpTables(builtIn.kysely), await dumpTables(mapped.kysely)]
    expect(tables).toEqual(expected)
    const rows = (table: string) => (tables[table] ?? []) as readonly Readonly<Record<string, unknown>>[]
    expect(rows('trade').length).toBeGreaterThan(100)
    expect(new Set(rows('trade').map(({ phase, side }) => `${String(phase)} ${String(side)}`)).size).toBe(4)
    expect(rows('token').filter(token => token['graduation_status'] === 'migrated').length).toBeGreaterThan(0)
    expect(rows('creator_fee').filter(({ claimed }) => Number(claimed) > 0).length).toBeGreaterThan(0)
  })

  it('gives the same call to claim', () => {
    const target = { token: chain.deployment.weth, creator: chain.deployment.weth, currency: chain.deployment.weth, amount: 1n } as const
    const call = (events: object | undefined) =>
      createAdapters({ weth: chain.deployment.weth, launchpads: entry(events) })[0]?.claimCall({ ...target, scope: 'token', claimId: null })
    expect(call(ownNames())).toEqual(call(undefined))
    expect(call(ownNames())).toMatchObject({ to: chain.deployment.launchpad })
  })
})

/** The entry as `launchpads.json` would hold it, through the reader of that file. */
function entry(events: object | undefined): readonly LaunchpadConfig[] {
  const { startBlock, launchpad, weth } = chain.deployment
  const file = { weth, launchpads: [{ name: 'mine', adapter: 'bonding-curve', factory: launchpad, startBlock, events }] }
  const result = parseLaunchpads(JSON.stringify(file), ADAPTER_KINDS)
  return result.kind === 'valid' ? result.value.launchpads : expect.unreachable(result.problems.join('\n'))
}

/** The reference launchpad as an operator would map it who knows only its contracts: with names of their own for the parameters. */
function ownNames() {
  return {
    launch: {
      event:
        'event TokenLaunched(address indexed a, address indexed b, address indexed c, string n, string s, string m, uint256 supply, uint256 vw, uint256 vt, uint256 goal, uint16 f, uint16 share);',
      emitter: 'factory',
      token: 'a',
      creator: 'b',
      curve: 'c',
      name: 'n',
      symbol: 's',
      metadataUri: 'm',
      decimals: '18',
      target: 'goal',
      feeBps: 'f',
      creatorFeeBps: 50,
      virtualQuote: 'vw',
      virtualToken: 'vt',
      reserveToken: 'supply',
      reserveQuote: 0,
      raised: 0,
    },
    buy: {
      event:
        'event Bought(address indexed who, address indexed whom, uint paid, uint fee, uint tokens, uint vw, uint vt, uint rw, uint rt)',
      emitter: 'curve',
      maker: 'who',
      tokenAmount: 'tokens',
      quoteAmount: 'paid',
      fee: ['fee'],
      quoteAmountIs: 'beforeFees',
      virtualQuote: 'vw',
      virtualToken: 'vt',
      reserveQuote: 'rw',
      reserveToken: 'rt',
      raised: 'rw',
    },
    sell: [
      {
        event: 'event Sold(address indexed who, address indexed whom, uint tokens, uint got, uint fee, uint vw, uint vt, uint rw, uint rt)',
        emitter: 'curve',
        maker: 'who',
        tokenAmount: 'tokens',
        quoteAmount: 'got',
        fee: 'fee',
        quoteAmountIs: 'afterFees',
        virtualQuote: 'vw',
        virtualToken: 'vt',
        reserveQuote: 'rw',
        reserveToken: 'rt',
        raised: 'rw',
      },
    ],
    complete: { event: 'event Completed(uint256 total)', emitter: 'curve', raised: 'total' },
    graduate: {
      event: 'event Graduated(address indexed t, address indexed p, uint256 id, uint256 w, uint256 amount)',
      emitter: 'factory',
      token: 't',
      pool: 'p',
      poolType: 'uniswap-v3',
      poolFeeBps: 100,
      quoteToken: 'weth',
    },
    feeAccrued: {
      event: 'event FeeAccrued(address indexed t, address indexed c, address indexed coin, uint256 x)',
      emitter: 'factory',
      token: 't',
      creator: 'c',
      currency: 'coin',
      amount: 'x',
    },
    feeClaimed: {
      event: 'event FeeClaimed(address indexed t, address indexed c, address indexed coin, address to, uint256 x)',
      emitter: 'factory',
      token: 't',
      creator: 'c',
      currency: 'coin',
      amount: 'x',
    },
    claimCall: { function: 'function claim(address t)', contract: 'factory', arguments: ['token'] },
  }
}
