import { parseEther, parseEventLogs, type TransactionReceipt } from 'viem'
import { describe, expect, it } from 'vitest'
import { curveAbi, launchpadAbi, tokenAbi } from '#devchain/abis.ts'
import { buyOnCurve, type Launched, launch, readLaunched, sellOnCurve } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import { startTestChain } from '#test/support/chain.ts'

const SUPPLY = 10n ** 27n
const FEE_BPS = 100n
const TARGET = parseEther('4.2')

const chain = await startTestChain({ targetWei: TARGET })
const [, creator, trader] = chain.accounts as [Address, Address, Address]

interface Reserves {
  readonly virtualWei: bigint
  readonly virtualToken: bigint
  readonly realWei: bigint
}

async function launchToken(firstBuyWei = 0n): Promise<Launched & { readonly receipt: TransactionReceipt }> {
  const receipt = await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP', metadataUri: 'ipfs://a', firstBuyWei }))
  return { ...readLaunched(receipt), receipt }
}

async function reservesOf(curve: Address): Promise<Reserves> {
  const read = (functionName: 'virtualWei' | 'virtualToken' | 'realWei') =>
    chain.client.readContract({ address: curve, abi: curveAbi, functionName })
  const [virtualWei, virtualToken, realWei] = await Promise.all([read('virtualWei'), read('virtualToken'), read('realWei')])
  return { virtualWei, virtualToken, realWei }
}

function balanceOf(token: Address, holder: Address): Promise<bigint> {
  return chain.client.readContract({ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [holder] })
}

/** The only event of the trade. */
function tradeIn<Name extends 'Bought' | 'Sold'>(receipt: TransactionReceipt, eventName: Name) {
  const events = parseEventLogs({ abi: curveAbi, eventName, logs: receipt.logs })
  expect(events).toHaveLength(1)
  return events[0]?.args as NonNullable<(typeof events)[number]>['args']
}

function eventNames(receipt: TransactionReceipt): string[] {
  const abi = [...launchpadAbi, ...curveAbi, ...tokenAbi].filter(item => item.type === 'event')
  return parseEventLogs({ abi, logs: receipt.logs }).map(event => event.eventName)
}

describe('launch', () => {
  it('mints the whole supply to the curve and emits the initial reserves', async () => {
    const { token, curve, receipt } = await launchToken()
    expect(eventNames(receipt)).toEqual(['Transfer', 'TokenLaunched'])
    expect(await balanceOf(token, curve)).toBe(SUPPLY)
    const [event] = parseEventLogs({ abi: launchpadAbi, eventName: 'TokenLaunched', logs: receipt.logs })
    expect(event?.args).toMatchObject({ name: 'Alpha', symbol: 'ALP', metadataUri: 'ipfs://a', totalSupply: SUPPLY, targetWei: TARGET })
    const { virtualWei, virtualToken } = await reservesOf(curve)
    expect(virtualWei).toBe(parseEther('1.5'))
    expect(event?.args).toMatchObject({ virtualWei, virtualToken, feeBps: 100, creatorShareBps: 5_000 })
  })

  it('makes the first buy before it emits the launch, with the reserves before the buy', async () => {
    const { token, curve, receipt } = await launchToken(parseEther('0.5'))
    expect(eventNames(receipt)).toEqual(['Transfer', 'Transfer', 'FeeAccrued', 'Transfer', 'Bought', 'TokenLaunched'])
    const bought = tradeIn(receipt, 'Bought')
    expect([bought.buyer.toLowerCase(), bought.recipient.toLowerCase()]).toEqual([creator, creator])
    expect(await balanceOf(token, creator)).toBe(bought.tokenAmount)
    const [event] = parseEventLogs({ abi: launchpadAbi, eventName: 'TokenLaunched', logs: receipt.logs })
    expect(event?.args.virtualWei).toBe(parseEther('1.5'))
    expect((await reservesOf(curve)).virtualWei).toBe(parseEther('1.5') + parseEther('0.495'))
  })

  it('rejects a minimum amount without a first buy', async () => {
    expect(await chain.reverted(launch(chain, { from: creator, name: 'A', symbol: 'A', minTokensOut: 1n }))).toBe('NothingBought')
  })
})

describe('a trade on the curve', () => {
  it('follows the constant product exactly, and emits the reserves after it', async () => {
    const { token, curve } = await launchToken()
    for (const paidWei of [1n, 99n, 100n, 12_345n, parseEther('0.01') + 7n, parseEther('0.777')]) {
      const before = await reservesOf(curve)
      const receipt = await chain.mined(buyOnCurve(chain, { from: trader, curve, paidWei }))
      const bought = tradeIn(receipt, 'Bought')
      const feeWei = (paidWei * FEE_BPS) / 10_000n
      const net = paidWei - feeWei
      const tokenAmount = (before.virtualToken * net) / (before.virtualWei + net)
      expect(bought).toMatchObject({ paidWei, feeWei, tokenAmount, realWei: before.realWei + net, virtualWei: before.virtualWei + net })
      expect(bought.virtualToken).toBe(before.virtualToken - tokenAmount)
      expect(bought.realToken).toBe(await balanceOf(token, curve))
      expect(await spentBy(trader, receipt)).toBe(paidWei)
    }

    const held = await balanceOf(token, trader)
    for (const tokenAmount of [held / 3n, 10n ** 18n, held / 2n]) {
      const before = await reservesOf(curve)
      const receipt = await chain.mined(sellOnCurve(chain, { from: trader, token, curve, amount: tokenAmount }))
      const sold = tradeIn(receipt, 'Sold')
      const gross = (before.virtualWei * tokenAmount) / (before.virtualToken + tokenAmount)
      const feeWei = (gross * FEE_BPS) / 10_000n
      expect(sold).toMatchObject({ tokenAmount, feeWei, receivedWei: gross - feeWei, realWei: before.realWei - gross })
      expect(sold).toMatchObject({ virtualWei: before.virtualWei - gross, virtualToken: before.virtualToken + tokenAmount })
      expect(sold.realToken).toBe(await balanceOf(token, curve))
    }
  })

  it('never pays out more than came in: a buy and a sale of everything lose the fees and at most a wei of rounding each', async () => {
    const { token, curve } = await launchToken()
    const initial = await reservesOf(curve)
    const paidWei = parseEther('1.234567890123456789')
    const { tokenAmount } = tradeIn(await chain.mined(buyOnCurve(chain, { from: trader, curve, paidWei })), 'Bought')
    const sold = tradeIn(await chain.mined(sellOnCurve(chain, { from: trader, token, curve, amount: tokenAmount })), 'Sold')
    const afterFees = paidWei - (paidWei * FEE_BPS) / 10_000n
    expect(afterFees - (sold.receivedWei + sold.feeWei)).toBeGreaterThanOrEqual(0n)
    expect(afterFees - (sold.receivedWei + sold.feeWei)).toBeLessThanOrEqual(2n)
    const after = await reservesOf(curve)
    expect(after.virtualToken).toBe(initial.virtualToken)
    expect(after.realWei).toBe(after.virtualWei - initial.virtualWei)
    expect(await chain.client.getBalance({ address: curve })).toBe(after.realWei)
  })

  it('credits another recipient', async () => {
    const { token, curve } = await launchToken()
    const [, , , recipient] = chain.accounts as [Address, Address, Address, Address]
    const bought = tradeIn(await chain.mined(buyOnCurve(chain, { from: trader, curve, paidWei: 10n ** 17n, recipient })), 'Bought')
    expect(await balanceOf(token, recipient)).toBe(bought.tokenAmount)
    const receipt = await chain.mined(sellOnCurve(chain, { from: recipient, token, curve, amount: bought.tokenAmount, recipient: creator }))
    expect(await spentBy(creator, { ...receipt, gasUsed: 0n })).toBe(-tradeIn(receipt, 'Sold').receivedWei)
  })

  it.each([
    [
      'a buy below its bound',
      'SlippageExceeded',
      ({ curve }: Launched) => buyOnCurve(chain, { from: trader, curve, paidWei: 10n ** 16n, minTokensOut: SUPPLY }),
    ],
    ['a buy without ether', 'NothingBought', ({ curve }: Launched) => buyOnCurve(chain, { from: trader, curve, paidWei: 0n })],
    [
      'a sale below its bound',
      'SlippageExceeded',
      ({ curve, token }: Launched) => sellOnCurve(chain, { from: creator, token, curve, amount: 10n ** 20n, minWeiOut: 10n ** 18n }),
    ],
    [
      'a sale worth less than a wei',
      'NothingReceived',
      ({ curve, token }: Launched) => sellOnCurve(chain, { from: creator, token, curve, amount: 1n }),
    ],
    [
      'a sale of more than the seller has',
      'InsufficientBalance',
      ({ curve, token }: Launched) => sellOnCurve(chain, { from: trader, token, curve, amount: 10n ** 20n }),
    ],
  ])('reverts %s with %s and changes nothing', async (_name, reason, attempt) => {
    const launched = await launchToken(parseEther('0.1'))
    const before = await reservesOf(launched.curve)
    expect(await chain.reverted(attempt(launched))).toBe(reason)
    expect(await reservesOf(launched.curve)).toEqual(before)
  })
})

describe('the buy that reaches the target', () => {
  it.each([parseEther('5'), parseEther('4.3'), 4_242_424_242_424_242_425n])(
    'of %d wei pays what is missing, fee included, and gets the rest back',
    async paidWei => {
      const { token, curve } = await launchToken()
      const receipt = await chain.mined(buyOnCurve(chain, { from: trader, curve, paidWei }))
      const bought = tradeIn(receipt, 'Bought')
      expect(bought.realWei).toBe(TARGET)
      expect(bought.paidWei - bought.feeWei).toBe(TARGET)
      expect(bought.feeWei).toBe((bought.paidWei * FEE_BPS) / 10_000n)
      expect(await spentBy(trader, receipt)).toBe(bought.paidWei)
      expect(eventNames(receipt).at(-1)).toBe('Completed')
      expect(await chain.client.getBalance({ address: curve })).toBe(TARGET)
      expect(await chain.reverted(buyOnCurve(chain, { from: trader, curve, paidWei: 10n ** 16n }))).toBe('NotTrading')
      expect(await chain.reverted(sellOnCurve(chain, { from: trader, token, curve, amount: 10n ** 20n }))).toBe('NotTrading')
    },
  )

  it('can be the first buy of the launch', async () => {
    const { receipt } = await launchToken(parseEther('6'))
    expect(eventNames(receipt).slice(-3)).toEqual(['Bought', 'Completed', 'TokenLaunched'])
    expect(await spentBy(creator, receipt)).toBe(tradeIn(receipt, 'Bought').paidWei)
  })

  it('completes without a refund when it pays exactly the missing amount', async () => {
    const { curve } = await launchToken()
    const net = TARGET - (await reservesOf(curve)).realWei
    const paidWei = (net * 10_000n) / 9_900n
    const receipt = await chain.mined(buyOnCurve(chain, { from: trader, curve, paidWei }))
    expect(tradeIn(receipt, 'Bought')).toMatchObject({ paidWei, realWei: TARGET })
  })
})

/** ETH that an account spent in a transaction without gas; negative when it received some. */
async function spentBy(account: Address, receipt: TransactionReceipt): Promise<bigint> {
  const [before, after] = await Promise.all([
    chain.client.getBalance({ address: account, blockNumber: receipt.blockNumber - 1n }),
    chain.client.getBalance({ address: account, blockNumber: receipt.blockNumber }),
  ])
  return before - after - receipt.gasUsed * receipt.effectiveGasPrice
}
