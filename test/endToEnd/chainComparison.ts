import { type Abi, parseEther } from 'viem'
import { expect } from 'vitest'
import type { Launched } from '#devchain/actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { formatDecimal, formatUnits, ratio } from '#domain/decimal.ts'
import { EARLY_CLASSES } from '#domain/holder.ts'
import type { Claimable } from '#resources/claimable.ts'
import type { Holder } from '#resources/holders.ts'
import type { Token } from '#resources/token.ts'
import type { Trader } from '#resources/traders.ts'
import type { Trade } from '#resources/trades.ts'
import type { TestChain } from '#test/support/chain.ts'
import { countCosts } from '#test/support/countCosts.ts'
import { countEarly } from '#test/support/countEarly.ts'

type Pool = NonNullable<Token['pool']>

/** Compares what the API answers with what contracts answer to `eth_call`, to the last wei. */
export class ChainComparison {
  readonly #chain: TestChain
  readonly #get: <T>(path: string) => Promise<T>

  constructor(chain: TestChain, get: <T>(path: string) => Promise<T>) {
    this.#chain = chain
    this.#get = get
  }

  balanceOf(currency: Address, holder: Address): Promise<bigint> {
    return this.#read(currency, 'token', 'balanceOf', [holder])
  }

  /** Everything that the API answers about a token. Returns the token. */
  async expectAsOnChain({ token: address }: Launched): Promise<Token> {
    const token = await this.#get<Token>(`/api/tokens/${address}`)
    const [owner, curve, uniswapPool] = await this.#read<readonly [Address, Address, Address]>(
      this.#chain.deployment.launchpad,
      'launchpad',
      'launches',
      [address],
    )
    expect(token.creator).toBe(owner.toLowerCase())
    for (const field of ['totalSupply', 'name', 'symbol'] as const) {
      expect(token[field]).toBe(String(await this.#read(address, 'token', field)))
    }
    const pool = token.pool as Pool
    expect(pool.reserveToken).toBe(String(await this.balanceOf(address, toAddress(pool.address))))
    if (pool.type === 'curve') await this.#expectCurve(token, pool, curve)
    else await this.#expectPool(token, pool, uniswapPool)
    await this.#expectFees(token)
    await this.expectHolders(token)
    await this.expectTraders(token)
    return token
  }

  async #expectCurve({ market, graduation }: Token, pool: Pool, curve: Address): Promise<void> {
    const read = (name: string) => this.#read<bigint>(curve, 'curve', name)
    expect(pool.address).toBe(curve.toLowerCase())
    expect(pool.reserveQuote).toBe(String(await read('realWei')))
    expect(market.priceWeth).toBe(formatDecimal(ratio(await read('virtualWei'), await read('virtualToken')) as never))
    expect(market.liquidityWeth).toBe(formatUnits(2n * (await read('realWei')), 18))
    expect(graduation.raisedWeth).toBe(formatUnits(await read('realWei'), 18))
    expect(graduation.targetWeth).toBe(formatUnits(await read('targetWei'), 18))
  }

  async #expectPool({ address, market, graduation }: Token, pool: Pool, uniswapPool: Address): Promise<void> {
    const { weth } = this.#chain.deployment
    expect(pool.address).toBe(uniswapPool.toLowerCase())
    expect(graduation.poolAddress).toBe(pool.address)
    expect(pool.reserveQuote).toBe(String(await this.balanceOf(weth, toAddress(pool.address))))
    expect(market.liquidityWeth).toBe(formatUnits(2n * BigInt(pool.reserveQuote ?? 0), 18))
    const [sqrtPriceX96, tick] = await this.#read<readonly [bigint, number]>(toAddress(pool.address), 'pool', 'slot0')
    expect(pool.sqrtPriceX96).toBe(String(sqrtPriceX96))
    expect(pool.tick).toBe(tick)
    expect(pool.liquidity).toBe(String(await this.#read(toAddress(pool.address), 'pool', 'liquidity')))
    const [wei, units] = address < weth ? [sqrtPriceX96 ** 2n, 2n ** 192n] : [2n ** 192n, sqrtPriceX96 ** 2n]
    expect(market.priceWeth).toBe(formatDecimal(ratio(wei, units) as never))
  }

  async #expectFees({ address, creator, fees }: Token): Promise<void> {
    const { launchpad, weth } = this.#chain.deployment
    const escrowed = (currency: Address) => this.#read<bigint>(launchpad, 'launchpad', 'claimable', [address, creator, currency])
    expect(fees.claimableWeth).toBe(formatUnits(await escrowed(weth), 18))
    const { claimable } = await this.#get<Claimable>(`/api/tokens/${address}/claimable?creator=${creator}`)
    for (const { currency, amount } of claimable) expect(amount).toBe(String(await escrowed(currency)))
    expect(claimable.map(entry => entry.currency)).toContain(weth)
  }

  async expectHolders({ address, creator, totalSupply, market }: Token): Promise<void> {
    const { data: holders } = await this.#get<{ data: Holder[] }>(`/api/tokens/${address}/holders?limit=500`)
    for (const holder of holders) {
      expect([holder.address, holder.balance]).toEqual([holder.address, String(await this.balanceOf(address, holder.address))])
    }
    expect(holders.reduce((sum, holder) => sum + BigInt(holder.balance), 0n)).toBe(BigInt(totalSupply))
    expect(market.holderCount).toBe(holders.length)
    expect(holders.find(holder => holder.address === creator)?.type ?? 'creator').toBe('creator')
  }

  /** Costs, profits and early classes, counted through all transfers that the chain has of the token. */
  async expectTraders({ address, creator, createdAt, market }: Token): Promise<void> {
    const { client, deployment } = this.#chain
    const { data: trades } = await this.#get<{ data: Trade[] }>(`/api/tokens/${address}/trades?limit=500`)
    const logs = await client.getContractEvents({ address, abi: deployment.abis.token, eventName: 'Transfer', fromBlock: 0n })
    const transfers = logs.map(({ transactionHash, blockNumber, logIndex, args }) => {
      const { from, to, value } = args as unknown as { from: Address; to: Address; value: bigint }
      const step = { from: toAddress(from), to: toAddress(to), amount: value }
      return { txHash: transactionHash, block: Number(blockNumber), logIndex, step }
    })
    const swaps = trades.map(({ txHash, blockNumber, logIndex, side, maker, amountToken, amountWeth, timestamp: at }) => {
      const step = { side, maker, amount: BigInt(amountToken), wei: parseEther(amountWeth ?? '0'), timestamp: Date.parse(at) / 1_000 }
      return { txHash, block: Number(blockNumber), logIndex, step }
    })
    const ordered = [...transfers, ...swaps].sort((a, b) => a.block - b.block || a.logIndex - b.logIndex)
    const transactions = [...Map.groupBy(ordered, ({ txHash }) => txHash).values()].map(of => ({
      price: null,
      steps: of.map(({ step }) => step),
    }))
    const { data: traders } = await this.#get<{ data: Trader[] }>(`/api/tokens/${address}/traders?sort=volume&limit=500`)
    expect(traders.map(trader => trader.address).toSorted()).toEqual([...new Set(trades.map(({ maker }) => maker))].toSorted())
    expect(traders.reduce((sum, { buys, sells }) => sum + buys + sells, 0)).toBe(market.tradeCount)
    const { data: holders } = await this.#get<{ data: Holder[] }>(`/api/tokens/${address}/holders?limit=500`)
    const accounts = [...traders, ...holders]
    const types = new Map(accounts.map(account => [account.address, account.type]))
    const early = countEarly({
      creator,
      launchedAt: Date.parse(createdAt) / 1_000,
      events: ordered.map(({ block, txHash, step }) => ({ blockNumber: block, txHash, ...step })),
      isWallet: account => (types.get(account) ?? 'wallet') === 'wallet',
    })
    for (const { address: account, classes } of accounts) {
      expect([account, classes]).toEqual([account, EARLY_CLASSES.filter(name => early[name].has(account))])
    }
    const inWeth = (wei: bigint | null) => (wei === null ? null : formatUnits(wei, 18))
    for (const trader of traders) {
      const [cost, realized] = countCosts(transactions, trader.address, wei => wei)
      expect({ ...trader, balance: BigInt(trader.balance ?? -1) }).toMatchObject({
        balance: await this.balanceOf(address, trader.address),
        costWeth: inWeth(cost),
        realizedWeth: inWeth(realized),
      })
    }
  }

  #read<T>(address: Address, abi: keyof TestChain['deployment']['abis'], functionName: string, args: readonly unknown[] = []): Promise<T> {
    const chosen: Abi = this.#chain.deployment.abis[abi]
    return this.#chain.client.readContract({ address, abi: chosen, functionName, args }) as Promise<T>
  }
}
