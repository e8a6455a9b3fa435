import { encodeFunctionData, type Hex, maxUint256, parseEther, parseEventLogs } from 'viem'
import {
  approve,
  buyOnCurve,
  claim,
  collectFees,
  graduate,
  launch,
  readLaunched,
  sellOnCurve,
  sendCall,
  swapDirectly,
  swapThroughRouter,
  transfer,
  wrap,
} from '#devchain/actions.ts'
import { DOLLAR_DECIMALS, DOLLAR_POOL_FEE, DOLLARS_PER_ETHER } from '#devchain/deployFactories.ts'
import type { Random } from '#devchain/traders/random.ts'
import { v4LaunchpadAbi, v4RouterAbi } from '#devchain/v4Abis.ts'
import {
  bidAbove,
  claimV4Fees,
  collectV4Fees,
  creatorFees,
  launchInV4,
  poolIdOf,
  readAuction,
  swapInV4,
  type V4Extension,
  v4KeyOf,
  v4LaunchCall,
} from '#devchain/v4Actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { deployClankerExtensions } from './clankerExtensions.ts'
import type { FactoriesChain } from './factories.ts'

const UNIT = 10n ** BigInt(DOLLAR_DECIMALS)

/** A token of one of the further launchpads. */
export interface FactoryToken {
  readonly name: string
  readonly token: Address
  readonly quote: Address
  readonly creator: Address
  /** `null`: it trades in Uniswap v4. */
  readonly curve: Address | null
}

/** Accounts that launch, trade and claim at random through the further launchpads of a test chain. */
export type FactoryMarket = Awaited<ReturnType<typeof openFactoryMarket>>

/** Deploys extensions, and gives the traders WETH and dollars. */
export async function openFactoryMarket(chain: FactoriesChain, random: Random) {
  const { deployment, factories } = chain
  const { weth, deployer } = deployment
  const { dollar, dollarLaunchpad, v4 } = factories
  const account = (index: number) => chain.accounts[index] ?? toAddress('')
  const traders = [3, 4, 5].map(account)
  const tokens = new Map<string, FactoryToken>()
  const extensions = await deployClankerExtensions(chain, [account(2), account(5), account(6)])
  const { sniperUtil } = extensions
  const call = (from: Address, to: Address, data: Hex, value = 0n) =>
    chain.mined(sendCall(chain, { from, to, data, value, gas: 12_000_000n }))
  const balanceOf = (currency: Address, holder: Address) =>
    chain.client.readContract({ address: currency, abi: deployment.abis.token, functionName: 'balanceOf', args: [holder] })
  const allow = (from: Address, currency: Address, spender: Address) => approve(chain, { from, currency, spender, amount: maxUint256 })

  for (const trader of traders) {
    await wrap(chain, { from: trader, amountWei: parseEther('500') })
    await transfer(chain, { from: deployer, currency: dollar, to: trader, amount: 1_000_000n * UNIT })
    for (const spender of [v4.auction, v4.router, sniperUtil]) await allow(trader, weth, spender)
  }
  await transfer(chain, { from: deployer, currency: dollar, to: account(1), amount: 1_000_000n * UNIT })
  await chain.mine()

  async function launchForDollars(name: string, firstBuy: bigint): Promise<FactoryToken> {
    const market = { launchpad: dollarLaunchpad, currency: dollar }
    const sent = launch(chain, {
      from: account(1),
      name,
      symbol: name.toUpperCase(),
      metadataUri: 'ipfs://dollars',
      firstBuyWei: firstBuy,
      market,
    })
    const { token, curve, creator } = readLaunched(await chain.mined(sent))
    return remember({ name, token, curve, creator, quote: dollar })
  }

  /** @param first whether the token is to be its pool's first currency. Tokens of the other kind are launched until one is. */
  async function launchV4(name: string, quote: Address, first: boolean, extend: readonly V4Extension[] = []): Promise<FactoryToken> {
    for (;;) {
      const options = { from: account(2), name, symbol: name.toUpperCase(), quote, extensions: extend }
      const isPresale = extend.some(({ target }) => target === extensions.presale)
      const receipt = isPresale
        ? await call(account(6), extensions.presale, extensions.endCall(v4.launchpad, v4LaunchCall(chain, options)))
        : await chain.mined(launchInV4(chain, options))
      const [event] = parseEventLogs({ abi: v4LaunchpadAbi, eventName: 'TokenCreated', logs: receipt.logs })
      const token = toAddress(event?.args.tokenAddress ?? '')
      if (token < quote === first) return remember({ name, token, curve: null, creator: account(2), quote })
    }
  }

  async function remember(one: FactoryToken): Promise<FactoryToken> {
    tokens.set(one.name, one)
    if (one.curve === null) {
      for (const trader of traders) {
        for (const currency of [one.token, one.quote]) for (const spender of [v4.router, sniperUtil]) await allow(trader, currency, spender)
      }
    }
    await chain.mine()
    return one
  }

  /** Bids in each round of a token's auction, through a utility in every second one, while others try and fail. */
  async function auctionOff({ token, quote }: FactoryToken, rounds: number): Promise<void> {
    const key = v4KeyOf(chain, token, quote)
    for (let won = 0; won < rounds; ) {
      const terms = await readAuction(chain, poolIdOf(key))
      if (terms.kind === 'over') return
      const amountIn = amountOf(quote, 0.3)
      const from = random.pick(traders)
      if (terms.kind === 'wait') {
        const hash = await swapInV4(chain, { from, token, quote, side: 'buy', amountIn })
        await chain.mine()
        const { status } = await chain.client.getTransactionReceipt({ hash })
        if (status !== 'reverted') throw new Error('a swap between two rounds succeeded')
        continue
      }
      const bid = bidAbove(terms.gasPeg, BigInt(random.integer(0, 30)))
      const viaUtil = won++ % 2 === 1
      const data = extensions.bidCall(key, quote === key.currency0, amountIn)
      const gas = 3_000_000n
      await chain.mined(
        viaUtil
          ? sendCall(chain, { from, to: sniperUtil, data, value: bid.paid, gas, gasPrice: bid.gasPrice })
          : swapInV4(chain, { from, token, quote, side: 'buy', amountIn, bid }),
      )
    }
  }

  /** Worth so much ETH. */
  function amountOf(quote: Address, ether: number): bigint {
    return quote === dollar ? BigInt(Math.round(ether * Number(DOLLARS_PER_ETHER) * Number(UNIT))) : parseEther(ether.toFixed(12))
  }

  async function part(currency: Address, holder: Address): Promise<bigint> {
    return ((await balanceOf(currency, holder)) * BigInt(random.integer(1, 60))) / 100n
  }

  async function tradeOnCurve({ token, curve }: FactoryToken & { readonly curve: Address }, from: Address): Promise<void> {
    const { abis } = deployment
    const phase = await chain.client.readContract({ address: curve, abi: abis.curve, functionName: 'phase' })
    if (phase === 2) {
      await graduate(chain, { from, token, launchpad: dollarLaunchpad })
      return
    }
    const [, , v3Pool] = await chain.client.readContract({
      address: dollarLaunchpad,
      abi: abis.launchpad,
      functionName: 'launches',
      args: [token],
    })
    const amount = await part(token, from)
    const isSale = amount > 0n && random.chance(0.4)
    const paid = amountOf(dollar, random.spread(1e-9, 0.4))
    const side = isSale ? 'sell' : 'buy'
    const amountIn = isSale ? amount : paid
    if (phase === 3) {
      const swap = { from, token, side, amountIn, quote: dollar } as const
      await (random.chance(0.5) ? swapThroughRouter(chain, swap) : swapDirectly(chain, { ...swap, pool: toAddress(v3Pool) }))
    } else if (isSale) await sellOnCurve(chain, { from, token, curve, amount, recipient: random.pick(traders) })
    else await buyOnCurve(chain, { from, curve, paidWei: paid, currency: dollar, recipient: random.pick([from, account(7)]) })
  }

  /** Exactly what is paid, or exactly what is received. */
  async function tradeInV4({ token, quote }: FactoryToken, from: Address): Promise<void> {
    const key = v4KeyOf(chain, token, quote)
    const held = await part(token, from)
    const isSale = held > 0n && random.chance(0.4)
    const inQuote = amountOf(quote, random.spread(1e-9, 0.4))
    const exact = isSale ? (random.chance(0.6) ? -held : inQuote / 100n + 1n) : random.chance(0.6) ? -inQuote : (held + 10n ** 20n) / 10n
    const zeroForOne = isSale === (key.currency0 === token)
    const data = encodeFunctionData({ abi: v4RouterAbi, functionName: 'swap', args: [key, zeroForOne, exact, '0x'] })
    await sendCall(chain, { from, to: v4.router, data, gas: 3_000_000n })
  }

  async function trade(name: string): Promise<void> {
    const one = tokens.get(name)
    if (one === undefined) throw new Error(`no token ${name}`)
    const from = random.pick(traders)
    await (one.curve === null ? tradeInV4(one, from) : tradeOnCurve({ ...one, curve: one.curve }, from))
  }

  /** Sends the transactions of one action at random. */
  async function act(): Promise<void> {
    const one = random.pick([...tokens.values()])
    const { token, quote, creator } = one
    switch (random.weighted([20, 3, 2, 2, 2, 1])) {
      case 0:
        return trade(one.name)
      case 1: {
        const side = random.chance(0.5) ? 'buy' : 'sell'
        const amountIn = amountOf(side === 'buy' ? weth : dollar, random.spread(0.1, 30))
        await swapThroughRouter(chain, { from: random.pick(traders), token: dollar, side, amountIn, fee: DOLLAR_POOL_FEE })
        return
      }
      case 2: {
        const from = random.pick(traders)
        await transfer(chain, { from, currency: token, to: account(random.integer(3, 8)), amount: await part(token, from) })
        return
      }
      case 3:
        await (one.curve === null
          ? collectV4Fees(chain, { from: account(8), token })
          : collectFees(chain, { from: account(8), token, launchpad: dollarLaunchpad }))
        return
      case 4: {
        if (one.curve !== null) await claim(chain, { from: creator, token, launchpad: dollarLaunchpad })
        const currency = random.pick([quote, token, weth])
        if (one.curve === null && (await creatorFees(chain, creator, currency)) > 0n) await claimV4Fees(chain, { from: creator, currency })
        return
      }
      default: {
        const to = random.pick([extensions.vault, extensions.airdrop, extensions.presale])
        await sendCall(chain, {
          from: random.pick([creator, account(5)]),
          to,
          data: extensions.claimCall(token),
        })
      }
    }
  }

  const buyIntoPresale = (from: Address, value: bigint) => call(from, extensions.presale, extensions.buyCall, value)

  return { tokens, extensions, account, balanceOf, launchForDollars, launchV4, auctionOff, trade, act, buyIntoPresale }
}
