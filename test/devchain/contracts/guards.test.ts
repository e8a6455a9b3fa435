import { encodeDeployData, encodeFunctionData, type Hex, parseEther, parseEventLogs, type TransactionReceipt } from 'viem'
import { describe, expect, it } from 'vitest'
import { curveAbi, launchpadAbi, positionManagerAbi, tokenAbi } from '#devchain/abis.ts'
import {
  approve,
  buyOnCurve,
  collectFees,
  graduate,
  type Launched,
  launch,
  readLaunched,
  sellOnCurve,
  transfer,
} from '#devchain/actions.ts'
import { readArtifact } from '#devchain/artifacts.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { startTestChain } from '#test/support/chain.ts'

const TARGET = parseEther('1')
const SUPPLY = 10n ** 27n

const chain = await startTestChain({ targetWei: TARGET })
const [, creator, trader, stranger] = chain.accounts as [Address, Address, Address, Address]

async function launchToken(firstBuyWei = 0n): Promise<Launched> {
  return readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Gamma', symbol: 'GAM', firstBuyWei })))
}

function call(to: Address, data: Hex, value = 0n): Promise<Hex> {
  return chain.client.sendTransaction({ account: stranger, chain: null, to, data, value, gas: 6_000_000n })
}

function balanceOf(currency: Address, holder: Address): Promise<bigint> {
  return chain.client.readContract({ address: currency, abi: tokenAbi, functionName: 'balanceOf', args: [holder] })
}

describe('functions of the launchpad and its curves', () => {
  it('reject other callers', async () => {
    const { curve, token } = await launchToken()
    const open = encodeFunctionData({ abi: curveAbi, functionName: 'open', args: [token, stranger, 0n] })
    expect(await chain.reverted(call(curve, open))).toBe('NotLaunchpad')
    expect(await chain.reverted(call(curve, encodeFunctionData({ abi: curveAbi, functionName: 'release' })))).toBe('NotLaunchpad')
    const accrue = encodeFunctionData({ abi: launchpadAbi, functionName: 'accrueCurveFee', args: [10n ** 18n] })
    expect(await chain.reverted(call(chain.deployment.launchpad, accrue))).toBe('NotCurve')
  })

  it('reject plain ether', async () => {
    const { curve } = await launchToken()
    expect(await chain.reverted(call(curve, '0x', 1n))).toBe('no reason given')
    expect(await chain.reverted(call(chain.deployment.launchpad, '0x', 1n))).toBe('no reason given')
  })
})

describe('a sale', () => {
  it('reverts when the recipient rejects the ether', async () => {
    const { curve, token } = await launchToken(parseEther('0.1'))
    const recipient = chain.deployment.positionManager // takes ether only from WETH
    const held = await balanceOf(token, creator)
    expect(await chain.reverted(sellOnCurve(chain, { from: creator, token, curve, amount: held, recipient }))).toBe('EtherTransferFailed')
    expect(await balanceOf(token, creator)).toBe(held)
  })
})

describe('terms', () => {
  it.each([
    ['no virtual ETH', 0n, SUPPLY, TARGET],
    ['no target', TARGET, SUPPLY, 0n],
    ['reserves that would overflow the price', 1n << 96n, SUPPLY, TARGET],
    ['too few tokens left for the pool', TARGET / 3n, 2n * SUPPLY, TARGET],
  ])('with %s are rejected', async (_name, virtualWei, virtualToken, targetWei) => {
    const { weth, positionManager } = chain.deployment
    const { bytecode } = readArtifact('Launchpad')
    const args = [weth, true, positionManager, stranger, virtualWei, virtualToken, targetWei] as const
    const data = encodeDeployData({ abi: launchpadAbi, bytecode, args })
    const sent = chain.client.sendTransaction({ account: stranger, chain: null, data, gas: 8_000_000n })
    expect(await chain.reverted(sent)).toBe('BadTerms')
  })
})

describe('graduation', () => {
  it('is rejected before the curve is complete, like the collection of LP fees', async () => {
    const { token } = await launchToken()
    expect(await chain.reverted(graduate(chain, { from: stranger, token }))).toBe('NotComplete')
    expect(await chain.reverted(collectFees(chain, { from: stranger, token }))).toBe('NotGraduated')
    expect(await chain.reverted(graduate(chain, { from: stranger, token: stranger }))).toBe('UnknownToken')
  })

  it('reverts without a loss when another account has initialised the pool at another price', async () => {
    const { token, curve } = await launchToken()
    const { weth, positionManager } = chain.deployment
    const [token0, token1] = token < weth ? [token, weth] : [weth, token]
    const args = [token0, token1, 10_000, 1n << 96n] as const
    const data = encodeFunctionData({ abi: positionManagerAbi, functionName: 'createAndInitializePoolIfNecessary', args })
    await chain.mined(call(positionManager, data))
    await chain.mined(buyOnCurve(chain, { from: trader, curve, paidWei: TARGET * 2n }))
    expect(await chain.reverted(graduate(chain, { from: stranger, token }))).toBe('PoolPriceOff')
    expect(await chain.client.getBalance({ address: curve })).toBe(TARGET)
  })
})

describe('the token', () => {
  it('is a plain ERC-20 of fixed supply', async () => {
    const { token } = await launchToken(parseEther('0.1'))
    const read = (functionName: 'name' | 'symbol' | 'decimals' | 'totalSupply') =>
      chain.client.readContract({ address: token, abi: tokenAbi, functionName })
    expect([await read('name'), await read('symbol'), await read('decimals'), await read('totalSupply')]).toEqual([
      'Gamma',
      'GAM',
      18,
      SUPPLY,
    ])
    const held = await balanceOf(token, creator)
    await chain.mined(transfer(chain, { from: creator, currency: token, to: creator, amount: held }))
    expect(await balanceOf(token, creator)).toBe(held)
    await chain.mined(transfer(chain, { from: creator, currency: token, to: trader, amount: held - 1n }))
    expect([await balanceOf(token, creator), await balanceOf(token, trader)]).toEqual([1n, held - 1n])
    expect(await chain.reverted(transfer(chain, { from: creator, currency: token, to: trader, amount: 2n }))).toBe('InsufficientBalance')
    expect(await chain.reverted(transfer(chain, { from: creator, currency: token, to: ZERO_ADDRESS, amount: 1n }))).toBe('ZeroAddress')
  })

  it('limits a spender to the approved amount, except for an unlimited approval', async () => {
    const { token } = await launchToken(parseEther('0.1'))
    const take = (amount: bigint) => {
      return call(token, encodeFunctionData({ abi: tokenAbi, functionName: 'transferFrom', args: [creator, stranger, amount] }))
    }
    const allowance = () =>
      chain.client.readContract({ address: token, abi: tokenAbi, functionName: 'allowance', args: [creator, stranger] })
    await chain.mined(approve(chain, { from: creator, currency: token, spender: stranger, amount: 100n }))
    await chain.mined(take(60n))
    expect(await allowance()).toBe(40n)
    expect(await chain.reverted(take(41n))).toBe('InsufficientAllowance')
    const everything = 2n ** 256n - 1n
    await chain.mined(approve(chain, { from: creator, currency: token, spender: stranger, amount: everything }))
    await chain.mined(take(60n))
    expect(await allowance()).toBe(everything)
    expect(await balanceOf(token, stranger)).toBe(120n)
  })
})

describe('any sequence of trades', () => {
  it.each([1, 2, 3])('keeps balances equal to the accounting (seed %d)', async seed => {
    const random = createRandom(seed)
    const { launchpad, weth } = chain.deployment
    const { curve, token } = await launchToken()
    const read = (functionName: 'virtualWei' | 'virtualToken' | 'realWei' | 'phase') =>
      chain.client.readContract({ address: curve, abi: curveAbi, functionName })
    const offset = BigInt(await read('virtualWei'))
    const escrowBefore = await balanceOf(weth, launchpad)
    let product = offset * BigInt(await read('virtualToken'))
    let paid = 0n
    let fees = 0n
    const book = ({ logs }: TransactionReceipt) => {
      for (const { eventName, args } of parseEventLogs({ abi: curveAbi, eventName: ['Bought', 'Sold'], logs })) {
        paid += eventName === 'Bought' ? args.paidWei : -args.receivedWei
        fees += args.feeWei
      }
    }
    for (let step = 0; step < 40 && (await read('phase')) === 1; step++) {
      const held = await balanceOf(token, trader)
      if (held < 10n ** 15n || random.chance(0.6)) {
        const paidWei = BigInt(Math.floor(random.spread(1e3, 3e17)))
        book(await chain.mined(buyOnCurve(chain, { from: trader, curve, paidWei })))
      } else {
        const amount = random.chance(0.2) ? held : (held * BigInt(random.integer(1, 999))) / 1_000n
        book(await chain.mined(sellOnCurve(chain, { from: trader, token, curve, amount })))
      }
      const [virtualWei, virtualToken, realWei] = [
        BigInt(await read('virtualWei')),
        BigInt(await read('virtualToken')),
        await read('realWei'),
      ]
      expect(virtualWei - BigInt(realWei)).toBe(offset)
      expect(virtualWei * virtualToken).toBeGreaterThanOrEqual(product)
      product = virtualWei * virtualToken
      expect(await chain.client.getBalance({ address: curve })).toBe(realWei)
      expect(BigInt(realWei) + fees).toBe(paid)
      expect((await balanceOf(weth, launchpad)) - escrowBefore).toBe(fees)
      expect(await balanceOf(token, curve)).toBe(SUPPLY - (await balanceOf(token, trader)))
    }
  })
})
