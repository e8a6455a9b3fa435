import { parseEther } from 'viem'
import {
  buyOnCurve,
  collectFees,
  graduate,
  type Launched,
  launch,
  readLaunched,
  sellOnCurve,
  swapDirectly,
  swapThroughRouter,
  wrap,
} from '#devchain/actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { type ChainService, chainService } from '#test/support/chainService.ts'
import type { Service } from '#test/support/service.ts'
import { SiteConsumer, type SiteEvent } from './siteConsumer.ts'

export const REORG_DEPTH = 4

/** Two tokens, of which one graduates, and a consumer that polls meanwhile: through a reorg and a restart of the service. */
export class MarketScenario {
  readonly chain: TestChain
  readonly alpha: Launched
  consumer!: SiteConsumer
  beta!: Launched
  pool!: Address
  readonly #services: ChainService
  #service!: Service

  private constructor(chain: TestChain, alpha: Launched, services: ChainService) {
    this.chain = chain
    this.alpha = alpha
    this.#services = services
  }

  /** With a launched token, before any block is final. */
  static async start(databaseUrl: string): Promise<MarketScenario> {
    const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
    const [, creator] = chain.accounts
    const launched = launch(chain, { from: creator as Address, name: 'Alpha', symbol: 'ALP', firstBuyWei: parseEther('0.05') })
    const { url } = chain.anvil
    const env = { RPC_URLS: `${url.replace('http', 'ws')},${url}`, MAX_REORG_DEPTH: String(REORG_DEPTH) }
    const alpha = readLaunched(await chain.mined(launched))
    const scenario = new MarketScenario(chain, alpha, await chainService(chain, databaseUrl, env))
    await scenario.#startService()
    scenario.consumer = new SiteConsumer(path => scenario.answer(path), {
      launchpad: 'reference',
      from: chain.deployment.startBlock,
      blocksPerRequest: 3,
    })
    return scenario
  }

  async #startService(): Promise<void> {
    this.#service = await this.#services.start()
    await this.#service.indexed(await this.chain.head())
  }

  get accounts(): { readonly creator: Address; readonly alice: Address; readonly bob: Address } {
    const [, creator, alice, bob] = this.chain.accounts as unknown as [Address, Address, Address, Address]
    return { creator, alice, bob }
  }

  ask(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`${this.#service.url}${path}`, init)
  }

  async answer<T>(path: string): Promise<T> {
    const response = await this.ask(path)
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  /** The status, detail and `Retry-After` of a refusal. */
  async refused(path: string): Promise<unknown> {
    const response = await this.ask(path)
    const { detail } = (await response.json()) as { detail: string }
    return { status: response.status, detail, retryAfter: response.headers.get('retry-after') }
  }

  async bytes(path: string): Promise<string> {
    const response = await this.ask(path)
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
    return response.text()
  }

  async events<Event = SiteEvent>(site: string, from: number, to: number): Promise<readonly Event[]> {
    const { events } = await this.answer<{ events: readonly Event[] }>(`/${site}/events?fromBlock=${from}&toBlock=${to}`)
    return events
  }

  /** Each pair with its token. */
  get pairs(): readonly (readonly [pair: Address, token: Address])[] {
    const { alpha, beta, pool } = this
    return [
      [alpha.curve, alpha.token],
      [beta.curve, beta.token],
      [pool, alpha.token],
    ]
  }

  balanceAt(currency: Address, holder: Address, block: number): Promise<bigint> {
    const call = { address: currency, abi: this.chain.deployment.abis.token, functionName: 'balanceOf', args: [holder] } as const
    return this.chain.client.readContract({ ...call, blockNumber: BigInt(block) })
  }

  /** What a pair really holds at a block, by its contracts: of the token, and of what it is quoted in. */
  async reservesAt(pair: Address, token: Address, block: number): Promise<readonly [bigint, bigint]> {
    const { weth, abis } = this.chain.deployment
    const realWei = { address: pair, abi: abis.curve, functionName: 'realWei', blockNumber: BigInt(block) } as const
    const quote = pair === this.pool ? this.balanceAt(weth, pair, block) : this.chain.client.readContract(realWei)
    return [await this.balanceAt(token, pair, block), await quote]
  }

  async run(): Promise<void> {
    const { chain, alpha, accounts } = this
    const { alice, bob } = accounts
    await chain.mine(REORG_DEPTH)
    await this.#settle()
    // Two trades and a launch in one block. Sent at once, two transactions of an account may get the same nonce.
    await this.#buy(alice, alpha, '0.4')
    await this.#buy(bob, alpha, '0.3')
    const launched = await launch(chain, { from: bob, name: '', symbol: ' ' })
    await chain.mine()
    this.beta = readLaunched(await chain.client.getTransactionReceipt({ hash: launched }))
    const amount = (await this.balanceAt(alpha.token, alice, await chain.head())) / 3n
    await chain.mined(sellOnCurve(chain, { from: alice, ...alpha, amount }))
    await this.#settle()
    await chain.mined(this.#buy(alice, alpha, '0.05'))
    await this.#settle()
    await this.#replaceBlocks()
    await this.#service.stop()
    await chain.mined(this.#buy(bob, alpha, '20'))
    await chain.mined(graduate(chain, { from: alice, token: alpha.token }))
    await this.#startService()
    await this.#tradeInPool()
    await this.#settle()
  }

  /** Of blocks that are indexed, and not final. */
  async #replaceBlocks(): Promise<void> {
    const { chain, alpha, beta, accounts } = this
    await chain.mined(this.#buy(accounts.bob, alpha, '0.11'))
    await chain.mined(this.#buy(accounts.alice, beta, '0.2'))
    await this.#poll()
    await chain.reorg(2)
    await chain.mined(this.#buy(accounts.bob, alpha, '0.12'))
    await chain.mined(this.#buy(accounts.alice, beta, '0.21'))
    await this.#settle()
  }

  async #tradeInPool(): Promise<void> {
    const { chain, accounts, alpha } = this
    const { alice, bob } = accounts
    const { token } = alpha
    this.pool = toAddress((await this.answer<Token>(`/api/tokens/${token}`)).pool?.address ?? '')
    await chain.mined(swapThroughRouter(chain, { from: alice, token, side: 'buy', amountIn: parseEther('0.25') }))
    const sold = (await this.balanceAt(token, bob, await chain.head())) / 7n
    await chain.mined(swapThroughRouter(chain, { from: bob, token, side: 'sell', amountIn: sold }))
    await chain.mined(wrap(chain, { from: alice, amountWei: parseEther('1') }))
    await chain.mined(swapDirectly(chain, { from: alice, token, pool: this.pool, side: 'buy', amountIn: parseEther('0.1') }))
    await chain.mined(collectFees(chain, { from: bob, token }))
  }

  #buy(from: Address, { curve }: Launched, paid: string) {
    return buyOnCurve(this.chain, { from, curve, paidWei: parseEther(paid) })
  }

  async #poll(): Promise<void> {
    await this.#service.indexed(await this.chain.head())
    await this.consumer.poll()
  }

  /** Lets everything that was mined become final, a block after the other. */
  async #settle(): Promise<void> {
    for (let block = 0; block < REORG_DEPTH; block++) {
      await this.chain.mine(1, 20)
      await this.#poll()
    }
  }
}
