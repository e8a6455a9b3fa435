import { encodeFunctionData, parseEther, parseEventLogs, type TransactionReceipt } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { curveAbi, factoryAbi, launchpadAbi, poolAbi, positionManagerAbi, tokenAbi } from '#devchain/abis.ts'
import {
  buyOnCurve,
  claim,
  collectFees,
  graduate,
  type Launched,
  launch,
  readLaunched,
  sellOnCurve,
  swapDirectly,
  swapThroughRouter,
  transfer,
  wrap,
} from '#devchain/actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { startTestChain } from '#test/support/chain.ts'

const TARGET = parseEther('0.42')
const DEAD = toAddress('0x000000000000000000000000000000000000dEaD')

const chain = await startTestChain({ targetWei: TARGET })
const [protocol, creator, trader, stranger] = chain.accounts as [Address, Address, Address, Address]

interface Graduated extends Launched {
  readonly pool: Address
  readonly positionId: bigint
  readonly receipt: TransactionReceipt
}

describe.each([
  ['before', true],
  ['after', false],
])('graduation of a token that sorts %s WETH', (_name, first) => {
  let token: Graduated
  let last: { readonly virtualWei: bigint; readonly virtualToken: bigint }

  beforeAll(async () => {
    const launched = await launchSorted(first)
    token = await graduateToken(launched)
    const read = (functionName: 'virtualWei' | 'virtualToken') =>
      chain.client.readContract({ address: launched.curve, abi: curveAbi, functionName })
    last = { virtualWei: await read('virtualWei'), virtualToken: await read('virtualToken') }
  })

  it('opens the real 1 % pool at the last price of the curve', async () => {
    const { uniswapFactory, weth } = chain.deployment
    const args = [token.token, weth, 10_000] as const
    const pool = await chain.client.readContract({ address: uniswapFactory, abi: factoryAbi, functionName: 'getPool', args })
    expect(toAddress(pool)).toBe(token.pool)
    const [sqrtPriceX96] = await chain.client.readContract({ address: token.pool, abi: poolAbi, functionName: 'slot0' })
    const [amount1, amount0] = first ? [last.virtualWei, last.virtualToken] : [last.virtualToken, last.virtualWei]
    // price = (sqrtPriceX96 / 2^96)^2; compared in parts per 10^12 of the curve's price
    const ratio = (sqrtPriceX96 ** 2n * amount0 * 10n ** 12n) / (amount1 << 192n)
    expect(ratio).toBeGreaterThanOrEqual(10n ** 12n - 1n)
    expect(ratio).toBeLessThanOrEqual(10n ** 12n)
  })

  it('locks the raised ETH and tokens of the same value, and burns the rest', async () => {
    const { weth, positionManager, launchpad } = chain.deployment
    const [event] = parseEventLogs({ abi: launchpadAbi, eventName: 'Graduated', logs: token.receipt.logs })
    const { quoteAmount = 0n, tokenAmount = 0n } = event?.args ?? {}
    expect(await balanceOf(weth, token.pool)).toBe(quoteAmount)
    expect(await balanceOf(token.token, token.pool)).toBe(tokenAmount)
    expect(TARGET - quoteAmount).toBeLessThan(1_000n)
    const wanted = (TARGET * last.virtualToken) / last.virtualWei
    expect(Number(wanted - tokenAmount) / Number(wanted)).toBeLessThan(1e-9)
    expect(await balanceOf(token.token, token.curve)).toBe(0n)
    expect(await balanceOf(token.token, launchpad)).toBe(0n)
    expect(await balanceOf(token.token, DEAD)).toBeGreaterThan(0n)
    expect(await chain.client.getBalance({ address: token.curve })).toBe(0n)
    const args = [token.positionId] as const
    const owner = await chain.client.readContract({ address: positionManager, abi: positionManagerAbi, functionName: 'ownerOf', args })
    expect(toAddress(owner)).toBe(launchpad)
  })

  it('works once', async () => {
    expect(await chain.reverted(graduate(chain, { from: stranger, token: token.token }))).toBe('NotComplete')
  })

  it('allows trades in the pool, through the router and directly, in both directions', async () => {
    const { weth } = chain.deployment
    const common = { from: trader, token: token.token }
    const received = async (currency: Address, receipt: TransactionReceipt) =>
      parseEventLogs({ abi: tokenAbi, eventName: 'Transfer', logs: receipt.logs })
        .filter(log => toAddress(log.address) === currency && toAddress(log.args.to) === trader)
        .reduce((sum, log) => sum + log.args.value, 0n)
    const bought = await chain.mined(swapThroughRouter(chain, { ...common, side: 'buy', amountIn: parseEther('0.01') }))
    const amount = await received(token.token, bought)
    expect(amount).toBeGreaterThan(0n)
    const sold = await chain.mined(swapThroughRouter(chain, { ...common, side: 'sell', amountIn: amount / 2n }))
    expect(await received(weth, sold)).toBeGreaterThan(0n)
    await chain.mined(wrap(chain, { from: trader, amountWei: parseEther('0.02') }))
    const direct = { ...common, pool: token.pool }
    const boughtDirectly = await chain.mined(swapDirectly(chain, { ...direct, side: 'buy', amountIn: parseEther('0.02') }))
    expect(await received(token.token, boughtDirectly)).toBeGreaterThan(0n)
    const soldDirectly = await chain.mined(swapDirectly(chain, { ...direct, side: 'sell', amountIn: amount / 3n }))
    expect(await received(weth, soldDirectly)).toBeGreaterThan(0n)
    const tooDear = swapThroughRouter(chain, { ...common, side: 'buy', amountIn: 1_000n, minAmountOut: 10n ** 27n })
    expect(await chain.reverted(tooDear)).toBe('Too little received')
  })

  it('accrues LP fees in both currencies, exactly half for the creator', async () => {
    const { launchpad, weth } = chain.deployment
    for (const currency of [weth, token.token]) {
      const before = { creator: await claimable(token.token, currency), protocol: await protocolFees(currency) }
      const held = await balanceOf(currency, launchpad)
      // fees to collect, independent of the tests before
      await chain.mined(swapThroughRouter(chain, { from: trader, token: token.token, side: 'buy', amountIn: parseEther('0.03') }))
      await chain.mined(swapThroughRouter(chain, { from: trader, token: token.token, side: 'sell', amountIn: 10n ** 22n }))
      const receipt = await chain.mined(collectFees(chain, { from: stranger, token: token.token }))
      const collected = (await balanceOf(currency, launchpad)) - held
      const share = (await claimable(token.token, currency)) - before.creator
      expect(collected).toBeGreaterThan(0n)
      expect(share).toBe(collected / 2n)
      expect(sharesIn(receipt, currency)).toBe(share)
      expect((await protocolFees(currency)) - before.protocol).toBe(collected - share)
    }
  })

  it('lets the creator claim everything in both currencies, with uncollected LP fees', async () => {
    const { weth } = chain.deployment
    await chain.mined(swapThroughRouter(chain, { from: trader, token: token.token, side: 'buy', amountIn: parseEther('0.03') }))
    for (const currency of [weth, token.token]) expect(await claimable(token.token, currency)).toBeGreaterThan(0n)
    const owed = await claimable(token.token, weth)
    const before = { weth: await balanceOf(weth, creator), token: await balanceOf(token.token, creator) }
    const receipt = await chain.mined(claim(chain, { from: creator, token: token.token }))
    const paid = { weth: (await balanceOf(weth, creator)) - before.weth, token: (await balanceOf(token.token, creator)) - before.token }
    expect(paid.weth).toBe(owed + sharesIn(receipt, weth))
    expect(sharesIn(receipt, weth)).toBeGreaterThan(0n)
    const events = parseEventLogs({ abi: launchpadAbi, eventName: 'FeeClaimed', logs: receipt.logs })
    expect(events.map(event => [toAddress(event.args.currency), toAddress(event.args.recipient), event.args.amount])).toEqual([
      [weth, creator, paid.weth],
      [token.token, creator, paid.token],
    ])
    for (const currency of [weth, token.token]) expect(await claimable(token.token, currency)).toBe(0n)
    expect(await chain.reverted(claim(chain, { from: creator, token: token.token }))).toBe('NothingToClaim')
  })
})

describe('curve fees', () => {
  it('are split exactly between creator and protocol, and the escrow is all WETH of the launchpad', async () => {
    const { weth, launchpad } = chain.deployment
    const { token, curve } = await launchToken()
    const escrowed = await claimable(token, weth)
    expect(escrowed).toBe(parseEther('0.05') / 200n)
    const protocolBefore = await protocolFees(weth)
    const heldBefore = await balanceOf(weth, launchpad)
    let fees = 0n
    let shares = 0n
    for (const attempt of [
      () => buyOnCurve(chain, { from: trader, curve, paidWei: 300n }),
      () => buyOnCurve(chain, { from: trader, curve, paidWei: 99n }),
      () => buyOnCurve(chain, { from: trader, curve, paidWei: parseEther('0.1') + 101n }),
      () => sellOnCurve(chain, { from: trader, token, curve, amount: 10n ** 25n + 13n }),
    ]) {
      const receipt = await chain.mined(attempt())
      const trades = parseEventLogs({ abi: curveAbi, eventName: ['Bought', 'Sold'], logs: receipt.logs })
      const fee = trades.reduce((sum, trade) => sum + trade.args.feeWei, 0n)
      expect(sharesIn(receipt, weth)).toBe(fee / 2n)
      fees += fee
      shares += fee / 2n
    }
    expect(await claimable(token, weth)).toBe(escrowed + shares)
    expect(await protocolFees(weth)).toBe(protocolBefore + fees - shares)
    expect(await balanceOf(weth, launchpad)).toBe(heldBefore + fees)
  })

  it('are paid only to the creator', async () => {
    const { weth } = chain.deployment
    const { token } = await launchToken()
    expect(await chain.reverted(claim(chain, { from: stranger, token }))).toBe('NotCreator')
    const owed = await claimable(token, weth)
    const before = await balanceOf(weth, creator)
    await chain.mined(claim(chain, { from: creator, token }))
    expect((await balanceOf(weth, creator)) - before).toBe(owed)
  })

  it('give the rest to the protocol, paid out whichever account calls', async () => {
    const { weth, launchpad } = chain.deployment
    await launchToken()
    const owed = await protocolFees(weth)
    const before = await balanceOf(weth, protocol)
    const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'withdrawProtocolFees', args: [weth] })
    await chain.mined(chain.client.sendTransaction({ account: stranger, chain: null, to: launchpad, data, gas: 200_000n }))
    expect((await balanceOf(weth, protocol)) - before).toBe(owed)
    expect(await protocolFees(weth)).toBe(0n)
  })
})

it('burns tokens that were sent to the curve directly, and does not sell them', async () => {
  const launched = await launchToken()
  const gift = 10n ** 24n
  await chain.mined(transfer(chain, { from: creator, currency: launched.token, to: launched.curve, amount: gift }))
  const { token } = await graduateToken(launched)
  expect(await balanceOf(token, DEAD)).toBeGreaterThanOrEqual(gift)
  expect(await balanceOf(token, launched.curve)).toBe(0n)
})

function balanceOf(currency: Address, holder: Address): Promise<bigint> {
  return chain.client.readContract({ address: currency, abi: tokenAbi, functionName: 'balanceOf', args: [holder] })
}

function claimable(token: Address, currency: Address): Promise<bigint> {
  const args = [token, creator, currency] as const
  return chain.client.readContract({ address: chain.deployment.launchpad, abi: launchpadAbi, functionName: 'claimable', args })
}

function protocolFees(currency: Address): Promise<bigint> {
  const address = chain.deployment.launchpad
  return chain.client.readContract({ address, abi: launchpadAbi, functionName: 'protocolFees', args: [currency] })
}

async function launchToken(): Promise<Launched> {
  return readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Beta', symbol: 'BET', firstBuyWei: parseEther('0.05') })))
}

/** Launches until a token's address is below (or above) that of WETH, because Uniswap orders the tokens of a pool. */
async function launchSorted(first: boolean): Promise<Launched> {
  for (;;) {
    const launched = await launchToken()
    if (launched.token < chain.deployment.weth === first) return launched
  }
}

async function graduateToken(launched: Launched): Promise<Graduated> {
  await chain.mined(buyOnCurve(chain, { from: trader, curve: launched.curve, paidWei: TARGET * 2n }))
  const receipt = await chain.mined(graduate(chain, { from: stranger, token: launched.token }))
  const [event] = parseEventLogs({ abi: launchpadAbi, eventName: 'Graduated', logs: receipt.logs })
  if (event === undefined) throw new Error('no Graduated event')
  return { ...launched, pool: toAddress(event.args.pool), positionId: event.args.positionId, receipt }
}

function sharesIn(receipt: TransactionReceipt, currency: Address): bigint {
  const events = parseEventLogs({ abi: launchpadAbi, eventName: 'FeeAccrued', logs: receipt.logs })
  return events.filter(event => toAddress(event.args.currency) === currency).reduce((sum, event) => sum + event.args.amount, 0n)
}
