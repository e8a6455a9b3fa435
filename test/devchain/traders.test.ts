import { decodeEventLog, type Hex, numberToHex, toEventSelector } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { curveAbi, launchpadAbi, poolAbi, tokenAbi } from '#devchain/abis.ts'
import type { DevChain } from '#devchain/actions.ts'
import type { Factories } from '#devchain/deployFactories.ts'
import { HISTORY_SECONDS, runHistory } from '#devchain/history.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { ACCOUNTS_FOR_TRADERS, createTraders, type TraderStats } from '#devchain/traders.ts'
import { toAddress } from '#domain/address.ts'
import { startTestChain } from '#test/support/chain.ts'
import { addFactories } from '#test/support/factories.ts'

const GENESIS = 1_790_000_000
const NOW = GENESIS + HISTORY_SECONDS
const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const ABI = [...launchpadAbi, ...curveAbi, ...tokenAbi, ...poolAbi].filter(item => item.type === 'event')

interface RawReceipt {
  readonly from: Hex
  readonly to: Hex | null
  readonly status: Hex
  readonly gasUsed: Hex
  readonly logs: readonly { readonly address: Hex; readonly topics: [Hex, ...Hex[]]; readonly data: Hex }[]
}

interface History {
  readonly stats: TraderStats
  readonly timestamps: readonly number[]
  readonly receipts: readonly (readonly RawReceipt[])[]
  readonly weth: Hex
  readonly launchpad: Hex
  readonly factories: Factories | undefined
}

/** The results of a history, without block hashes, which differ between runs of the same seed. */
function outline({ receipts }: History): unknown {
  return receipts.map(block =>
    block.map(({ from, to, status, gasUsed, logs }) => [from, to, status, gasUsed, logs.map(log => [log.address, log.topics, log.data])]),
  )
}

describe('the same seed', () => {
  it('gives the same transactions and results in the same blocks, and another seed gives others', async () => {
    const all = { all: true }
    const [first, second, other] = [await history(5, 40, all), await history(5, 40, all), await history(6, 40, all)]
    expect(first.stats.transactions).toBeGreaterThan(100)
    expect(outline(second)).toEqual(outline(first))
    expect(outline(other)).not.toEqual(outline(first))
    const emitters = new Set(first.receipts.flat().flatMap(({ logs }) => logs.map(({ address }) => toAddress(address))))
    const { dollarLaunchpad, dollarPool, v4 } = first.factories ?? expect.unreachable()
    expect([...emitters]).toEqual(expect.arrayContaining([first.launchpad, dollarLaunchpad, dollarPool, v4.launchpad, v4.poolManager]))
  })
})

describe('a history of the usual length', () => {
  let past: History
  let events: readonly { readonly address: Hex; readonly event: ReturnType<typeof decodeEventLog<typeof ABI>> }[]

  beforeAll(async () => {
    past = await history(1, 240)
    events = past.receipts.flat().flatMap(receipt =>
      receipt.logs.flatMap(log => {
        try {
          return { address: log.address, event: decodeEventLog({ abi: ABI, topics: log.topics, data: log.data }) }
        } catch {
          return [] // of another contract
        }
      }),
    )
  })

  it('is spread irregularly over the past day and ends now', () => {
    const gaps = past.timestamps.slice(1).map((time, index) => time - (past.timestamps[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThan(0)
    expect(Math.max(...gaps)).toBeGreaterThan(5 * Math.min(...gaps))
    expect(past.timestamps[0]).toBeLessThan(NOW - 24 * 3_600)
    expect(past.timestamps.at(-1)).toBe(NOW)
  })

  it('has every kind of event of a launchpad', () => {
    const count = (name: string) => events.filter(({ event }) => event.eventName === name).length
    expect(count('TokenLaunched')).toBe(past.stats.launched)
    expect(past.stats.launched).toBeGreaterThan(30)
    expect(past.stats.graduated).toBeGreaterThanOrEqual(3)
    const missing = ['Bought', 'Sold', 'Completed', 'Graduated', 'Swap', 'FeeAccrued', 'FeeClaimed'].filter(name => count(name) === 0)
    expect(missing).toEqual([])
    const names = events.flatMap(({ event }) => (event.eventName === 'TokenLaunched' ? event.args.name : []))
    expect(names.some(name => /[^\u0020-\u007E]/u.test(name))).toBe(true)
    const fees = events.flatMap(({ event }) => (event.eventName === 'FeeClaimed' ? toAddress(event.args.currency) : []))
    expect(fees).toContain(past.weth)
    expect(fees.some(currency => currency !== past.weth)).toBe(true)
  })

  it('trades in pools of both token orders and in both directions', () => {
    const graduated = events.flatMap(({ event }) => (event.eventName === 'Graduated' ? event.args : []))
    const kinds = events.flatMap(({ address, event }) => {
      if (event.eventName !== 'Swap') return []
      const token = graduated.find(args => toAddress(args.pool) === toAddress(address))?.token
      return `${toAddress(token ?? '') < past.weth ? 'token0' : 'token1'} ${event.args.amount0 > 0n ? 'in' : 'out'}`
    })
    expect(new Set(kinds)).toEqual(new Set(['token0 in', 'token0 out', 'token1 in', 'token1 out']))
  })

  it('has amounts from a few wei to several ether', () => {
    const paid = events.flatMap(({ event }) => (event.eventName === 'Bought' ? event.args.paidWei : []))
    expect(paid.some(wei => wei < 1_000_000n)).toBe(true)
    expect(paid.some(wei => wei > 10n ** 18n)).toBe(true)
  })

  it('transfers tokens between wallets and to the burn address', () => {
    const transactions = past.receipts.flat()
    const plain = transactions.filter(({ status, logs }) => status === '0x1' && logs.length === 1)
    const to = plain.flatMap(({ logs: [log] }) => {
      if (log?.topics[0] !== TRANSFER) return []
      return toAddress(`0x${(log.topics[2] ?? '').slice(-40)}`)
    })
    expect(to).toContain(toAddress('0x000000000000000000000000000000000000dead'))
    expect(new Set(to).size).toBeGreaterThan(5)
  })

  it('has failed trades and continues', () => {
    expect(past.stats.reverted).toBeGreaterThan(0)
    expect(past.stats.reverted / past.stats.transactions).toBeLessThan(0.2)
    expect(past.stats.refused).toBe(0)
  })
})

async function history(seed: number, blocks: number, { all = false } = {}): Promise<History> {
  const alone = await startTestChain({ accounts: ACCOUNTS_FOR_TRADERS, timestamp: GENESIS })
  try {
    const chain: DevChain = all ? await addFactories(alone) : alone
    const first = Number(await chain.client.getBlockNumber()) + 1
    const random = createRandom(seed)
    const traders = await createTraders({ chain, random })
    await runHistory({ traders, random, since: GENESIS + 10, now: () => NOW, blocks })
    const request = chain.client.request as (call: { method: string; params: readonly unknown[] }) => Promise<unknown>
    const numbers = Array.from({ length: blocks }, (_, index) => index + first)
    const timestamps: number[] = []
    const receipts: (readonly RawReceipt[])[] = []
    for (const number of numbers) {
      timestamps.push(Number((await chain.client.getBlock({ blockNumber: BigInt(number) })).timestamp))
      const answer = await request({ method: 'eth_getBlockReceipts', params: [numberToHex(number)] })
      receipts.push(answer as readonly RawReceipt[])
    }
    const { weth, launchpad } = chain.deployment
    return { stats: traders.stats(), timestamps, receipts, weth, launchpad, factories: chain.factories }
  } finally {
    await alone.stop()
  }
}
