import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256, parseAbi, parseAbiParameters, toEventSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { parseDecimal } from '#domain/decimal.ts'
import { FLAUNCH_CREATED_TOPICS, FLAUNCH_FEE_TOPICS, POOL_SWAP_TOPIC } from '#launchpads/adapters/flaunch.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { followLogs, type LogBlock } from '#test/support/followLogs.ts'
import {
  BUYER,
  by,
  CREATOR,
  DOLLAR,
  ESCROW,
  entry,
  expectUnmoved,
  FACTORY,
  LIAR,
  LOCKER,
  logOf,
  MANAGER,
  mint,
  OTHER,
  rowsOf,
  TOKEN,
  WETH,
} from '#test/support/forgery.ts'
import { initialized4, swap4 } from '#test/support/launchpadLogs.ts'
import { type NewLog, testAddress } from '#test/support/simulatedChain.ts'
import { transferLog } from '#test/support/simulatedLogs.ts'

const PARAMS = ['string name', 'string symbol', 'string tokenUri', 'uint256 initialTokenFairLaunch', 'uint256 fairLaunchDuration']
  .concat(['uint256 premineAmount', 'address creator', 'uint24 creatorFeeAllocation', 'uint256 flaunchAt'])
  .concat(['bytes initialPriceParams', 'bytes feeCalculatorParams'])
const without = (...left: readonly string[]) => PARAMS.filter(field => !left.includes(field.split(' ')[1] ?? ''))
const PAIRED_PARAMS = [...without('initialTokenFairLaunch', 'fairLaunchDuration'), 'address pairedToken']
const PARTS = ['fl', 'isp', 'uni'].flatMap(part => ['Amount0', 'Amount1', 'Fee0', 'Fee1'].map(figure => `${part}${figure}`))
const POOL_SWAP = `event PoolSwap(bytes32 indexed poolId, ${PARTS.map(part => `int256 ${part}`).join(', ')})`
const createdWith = (fields: readonly string[]) =>
  `event PoolCreated(bytes32 indexed _poolId, address _memecoin, address _memecoinTreasury, uint256 _tokenId, bool _currencyFlipped, uint256 _flaunchFee, (${fields.join(', ')}) _params)`
const DISTRIBUTED =
  'event PoolFeesDistributed(bytes32 indexed _poolId, uint256 _donateAmount, uint256 _creatorAmount, uint256 _bidWallAmount, uint256 _governanceAmount, uint256 _protocolAmount)'
const DEPOSIT = 'event Deposit(bytes32 indexed _poolId, address _payee, address _token, uint256 _amount)'
const WITHDRAWAL = 'event Withdrawal(address _sender, address _recipient, address _token, uint256 _amount)'
const WITHDRAWAL_OF = 'event Withdrawal(address _sender, address _recipient, address _token, address _deliveredAsset, uint256 _amount)'
const topicOf = (event: string) => toEventSelector(parseAbi([event] as readonly string[])[0] as unknown as string)

describe('the events of Flaunch', () => {
  // As PositionManager.sol, FeeDistributor.sol and FeeEscrow.sol of flayerlabs/flaunchgg-contracts and the ABIs of flaunch-sdk say.
  it('are known with the struct of every version', () => {
    expect(FLAUNCH_CREATED_TOPICS).toEqual([
      topicOf(createdWith(without('fairLaunchDuration'))),
      topicOf(createdWith(PARAMS)),
      topicOf(createdWith(without('initialTokenFairLaunch', 'fairLaunchDuration'))),
      topicOf(createdWith(PAIRED_PARAMS)),
    ])
    expect([POOL_SWAP_TOPIC, ...FLAUNCH_FEE_TOPICS]).toEqual([POOL_SWAP, DISTRIBUTED, DEPOSIT, WITHDRAWAL, WITHDRAWAL_OF].map(topicOf))
  })

  it('have the topics that were seen on Base', () => {
    expect(FLAUNCH_CREATED_TOPICS.slice(0, 2)).toEqual([
      '0xe9a023154a0e1bd430ba68aafea07b09c78a0e5406c3696fb3c0dd631fa53b64',
      '0x54976b48704e67457d6a85a2db51d6e760bbeddf6151f9206512108adce80b42',
    ])
    expect(POOL_SWAP_TOPIC).toBe('0x35001030bac7516ed5b1daf42bbfd3eaf587acc70c90f7f00ee42d5a34d75233')
  })
})

const NFT = LOCKER
const TREASURY = testAddress(700)
const ROUTER = testAddress(602)
const FLAUNCH = entry('flaunch', {
  factory: FACTORY,
  nft: NFT,
  nativeToken: DOLLAR,
  poolManager: MANAGER,
  feeEscrow: ESCROW,
  flETH: DOLLAR,
})
const idOf = (token: Address, hook: Address, quote = DOLLAR) => {
  const [currency0 = token, currency1 = token] = [token, quote].toSorted()
  return keccak256(encodeAbiParameters(parseAbiParameters('address, address, uint24, int24, address'), [currency0, currency1, 0, 60, hook]))
}
const ID = idOf(TOKEN, FACTORY)
const created = (token = TOKEN, id = ID, creator = CREATOR, paired?: Address): NewLog =>
  logOf(FACTORY, createdWith(paired === undefined ? PARAMS : PAIRED_PARAMS), {
    _poolId: id,
    _memecoin: token,
    _memecoinTreasury: TREASURY,
    _tokenId: 7n,
    _currencyFlipped: token < DOLLAR,
    _params: {
      name: 'Meme',
      symbol: 'MEME',
      tokenUri: 'ipfs://meme',
      creator,
      pairedToken: paired,
    },
  })
const owned = (from: Address, to: Address, id = 7n): NewLog =>
  logOf(NFT, 'event Transfer(address indexed from, address indexed to, uint256 indexed id)', { from, to, id })
const initialized = (id = ID): NewLog => initialized4({ id, currency1: DOLLAR, tickSpacing: 60, hooks: FACTORY })
const swap = (amount0: bigint, amount1: bigint, id = ID): NewLog => swap4({ id, sender: ROUTER, amount0, amount1, fee: 0 })
const reported = (amounts: Readonly<Record<string, bigint>>, id = ID): NewLog =>
  logOf(FACTORY, POOL_SWAP, { poolId: id, ...Object.fromEntries(PARTS.map(part => [part, amounts[part] ?? 0n])) })
const distributed = (amount: bigint, id = ID): NewLog =>
  logOf(FACTORY, DISTRIBUTED, {
    _poolId: id,
    _donateAmount: 2n * amount,
    _creatorAmount: amount,
    _bidWallAmount: amount,
  })
const deposited = (payee: Address, amount: bigint): NewLog =>
  logOf(ESCROW, DEPOSIT, { _poolId: ID, _payee: payee, _token: DOLLAR, _amount: amount })
const withdrawn = (sender: Address, amount: bigint, token: Address = ZERO_ADDRESS): NewLog =>
  logOf(ESCROW, WITHDRAWAL, { _sender: sender, _recipient: LIAR, _token: token, _amount: amount })
const renamed = (emitter: Address): NewLog =>
  logOf(emitter, 'event MetadataUpdated(string _name, string _symbol)', { _name: 'X', _symbol: 'X' })

const E18 = 10n ** 18n
const LAUNCH = [owned(ZERO_ADDRESS, CREATOR), mint(FACTORY), initialized(), created()]
/** 1,000 tokens in the fair launch, 500 from the hook's stock and 1,500 from the pool for 1, 1 and 2, of which the hook takes 1 % in tokens. */
const WHOLE = {
  flAmount0: 1_000n * E18,
  flAmount1: -E18,
  flFee0: -10n * E18,
  ispAmount0: 500n * E18,
  ispAmount1: -E18,
  ispFee0: -5n * E18,
  uniAmount0: 1_500n * E18,
  uniAmount1: -2n * E18,
  uniFee0: -15n * E18,
}
const BUY = [
  swap(1_500n * E18, -2n * E18),
  transferLog(TOKEN, MANAGER, FACTORY, 30n * E18),
  deposited(CREATOR, 4n),
  distributed(4n),
  reported(WHOLE),
  transferLog(TOKEN, MANAGER, BUYER, 2_970n * E18),
]
const HONEST: readonly LogBlock[] = [[LAUNCH], [BUY], [[withdrawn(CREATOR, 1n)], [owned(CREATOR, OTHER)], [renamed(TOKEN)]]]

describe('what Flaunch’s contracts tell', () => {
  it('is one trade of all that a swap was filled with, and who earns its fees', async () => {
    for (const atOnce of [1, 5]) {
      const { token, trades, creatorFees } = await rowsOf(FLAUNCH, HONEST, atOnce)
      expect(token).toMatchObject({ creator: CREATOR, name: 'X', feesAccrued: 4n, tradeCount: 1, quoteRate: parseDecimal('1') })
      expect(trades).toMatchObject([
        // 1 % of 4, in tokens that are worth that.
        {
          side: 'buy',
          maker: BUYER,
          amountToken: 2_970n * E18,
          amountWei: 4n * E18,
          feeWei: (4n * E18) / 100n,
          priceAfterWeth: parseDecimal('1'),
        },
      ])
      expect(creatorFees).toMatchObject([
        { creator: CREATOR, currency: DOLLAR, accrued: 4n, claimed: 1n },
        { creator: OTHER, currency: DOLLAR, accrued: 0n, claimed: 0n },
      ])
    }
  })

  it('are two trades where a transaction swaps twice, and the pool’s own where the hook reports nothing', async () => {
    const sell = { uniAmount0: -300n * E18, uniAmount1: E18, uniFee1: -E18 / 100n }
    const twice = [
      swap(1_500n * E18, -2n * E18),
      reported(WHOLE),
      transferLog(TOKEN, MANAGER, BUYER, 2_970n * E18),
      transferLog(TOKEN, OTHER, MANAGER, 300n * E18),
      swap(-300n * E18, E18),
      reported(sell),
    ]
    const own = [swap(100n * E18, -E18), transferLog(TOKEN, MANAGER, CREATOR, 100n * E18)]
    const { trades } = await rowsOf(FLAUNCH, [[LAUNCH], [twice, own]], 1)
    expect(trades).toMatchObject([
      { side: 'buy', maker: BUYER, amountToken: 2_970n * E18, amountWei: 4n * E18 },
      { side: 'sell', maker: OTHER, amountToken: 300n * E18, amountWei: (99n * E18) / 100n, feeWei: E18 / 100n },
      { side: 'buy', maker: CREATOR, amountToken: 100n * E18, amountWei: E18, feeWei: 0n },
    ])
  })

  it('has the owner of the revenue NFT after the launch as creator, and not the account it was minted to', async () => {
    const zapped = [owned(ZERO_ADDRESS, ROUTER), mint(FACTORY), initialized(), created(TOKEN, ID, ROUTER), owned(ROUTER, CREATOR)]
    const others = [owned(ZERO_ADDRESS, LIAR, 8n), owned(LIAR, BUYER, 8n)]
    expect((await rowsOf(FLAUNCH, [[[...zapped, ...others]]], 1)).token).toMatchObject({ creator: CREATOR })
    const burned = [...LAUNCH, owned(CREATOR, ZERO_ADDRESS)]
    expect((await rowsOf(FLAUNCH, [[burned]], 1)).token).toMatchObject({ creator: CREATOR })
  })

  it('is in the currency whose pool the id is of, and worth ether in flETH alone', async () => {
    const inDollars = entry('flaunch', { ...FLAUNCH.contracts, flETH: OTHER })
    const { token, trades } = await rowsOf(inDollars, HONEST, 1)
    expect(token).toMatchObject({ feesAccrued: null, priceWeth: null, priceQuote: parseDecimal('1') })
    expect(trades).toMatchObject([{ amountQuote: 4n * E18, amountWei: null }])
    const inWeth = entry('flaunch', { ...FLAUNCH.contracts, nativeToken: WETH })
    expect((await rowsOf(inWeth, HONEST, 1)).token).toBeUndefined()
  })
})

describe('version 1.3, in which each memecoin has a currency of its own', () => {
  const PAIRED = entry('flaunch', {
    factory: FACTORY,
    nft: NFT,
    poolManager: MANAGER,
    pairedTokenRegistry: testAddress(701),
    feeEscrow: ESCROW,
    flETH: DOLLAR,
  })
  const launchIn = (currency: Address) => {
    const id = idOf(TOKEN, FACTORY, currency)
    return { id, logs: [owned(ZERO_ADDRESS, CREATOR), mint(FACTORY), initialized(id), created(TOKEN, id, CREATOR, currency)] }
  }
  const paidIn = (currency: Address, amount: bigint, id: Hex, payee = CREATOR): NewLog =>
    logOf(ESCROW, DEPOSIT, { _poolId: id, _payee: payee, _token: currency, _amount: amount })
  const withdrawnOf = (currency: Address, amount: bigint, delivered = currency): NewLog =>
    logOf(ESCROW, WITHDRAWAL_OF, { _sender: CREATOR, _recipient: LIAR, _token: currency, _deliveredAsset: delivered, _amount: amount })
  const claimOf = (contracts: Readonly<Record<string, Address>>, currency: Address) => {
    const [adapter] = createAdapters({ weth: WETH, launchpads: [entry('flaunch', contracts)] })
    return adapter?.claimCall({
      token: TOKEN,
      creator: CREATOR,
      currency,
      scope: 'creator',
      amount: 5n,
      claimId: null,
    })
  }

  // Its launches were counted as malformed: new memecoins of Flaunch were in no list.
  it.each([
    ['flETH', DOLLAR, true],
    ['ETH', ZERO_ADDRESS, true],
    ['another currency', OTHER, false],
  ] as const)('is indexed in %s, with what its escrow owes in it', async (_, currency, isEther) => {
    const { id, logs } = launchIn(currency)
    const fees = [paidIn(currency, 9n, id), distributed(9n, id), withdrawnOf(currency, 4n, ZERO_ADDRESS)]
    for (const atOnce of [1, 5]) {
      const { token, pools, creatorFees } = await rowsOf(PAIRED, [[logs], [fees]], atOnce)
      expect(token).toMatchObject({ creator: CREATOR, feesAccrued: isEther ? 9n : null, priceQuote: parseDecimal('1') })
      expect(token?.priceWeth).toEqual(isEther ? parseDecimal('1') : null)
      expect(pools).toMatchObject([{ address: id, quoteToken: currency }])
      expect(creatorFees).toMatchObject([{ creator: CREATOR, currency, accrued: 9n, claimed: 4n }])
    }
    expect(claimOf(PAIRED.contracts, currency)).toEqual({
      to: ESCROW,
      data: encodeFunctionData({
        abi: parseAbi(['function withdrawFees(address token, address recipient, bool unwrap)']),
        args: [currency, CREATOR, false],
      }),
    })
  })

  it('opens no account for a currency that anybody made up, and takes no pool for one of another currency', async () => {
    const { id, logs } = launchIn(DOLLAR)
    const others = [paidIn(LIAR, 9n, id), paidIn(LIAR, 9n, idOf(LIAR, FACTORY)), paidIn(DOLLAR, 9n, id, LIAR)]
    const { creatorFees } = await rowsOf(PAIRED, [[logs], [others]], 1)
    expect(creatorFees.map(({ creator, currency }) => [creator, currency])).toEqual([
      [CREATOR, DOLLAR],
      [LIAR, DOLLAR],
    ])
    expect((await rowsOf(PAIRED, [[[...logs.slice(0, 3), created(TOKEN, id, CREATOR, OTHER)]]], 1)).token).toBeUndefined()
  })

  it('shows no earnings where the escrow is not known', async () => {
    const { feeEscrow: _, ...contracts } = PAIRED.contracts
    const { id, logs } = launchIn(DOLLAR)
    const { token, creatorFees } = await rowsOf(entry('flaunch', contracts), [[logs], [[paidIn(DOLLAR, 9n, id)]]], 1)
    expect([token?.creator, creatorFees]).toEqual([CREATOR, []])
    expect(claimOf(contracts, DOLLAR)).toBeNull()
  })
})

describe('what others say', () => {
  const OTHER_ID = idOf(TOKEN, LIAR)
  const LIES: readonly NewLog[] = [
    by(LIAR, created()),
    by(LIAR, created(TOKEN, OTHER_ID, LIAR)),
    // The real factory makes no such pool: its id is none of the token's pools in the native token.
    created(TOKEN, OTHER_ID, LIAR),
    created(TOKEN, idOf(TOKEN, FACTORY, WETH), LIAR),
    // Its treasury's logs are read, too.
    by(TREASURY, reported(WHOLE)),
    by(TREASURY, created(TOKEN, ID, LIAR)),
    by(TREASURY, distributed(10n ** 20n)),
    by(TREASURY, deposited(CREATOR, 10n ** 20n)),
    by(TREASURY, owned(CREATOR, LIAR)),
    by(LIAR, reported(WHOLE)),
    reported(WHOLE, OTHER_ID),
    swap(10n ** 24n, -1n, OTHER_ID),
    by(LIAR, swap(10n ** 24n, -1n)),
    by(LIAR, distributed(10n ** 20n)),
    distributed(10n ** 20n, OTHER_ID),
    by(LIAR, deposited(CREATOR, 10n ** 20n)),
    by(FACTORY, deposited(CREATOR, 10n ** 20n)),
    by(LIAR, withdrawn(CREATOR, 3n)),
    by(LIAR, owned(CREATOR, LIAR)),
    renamed(LIAR),
    renamed(FACTORY),
  ]

  it.each(LIES.map((lie, index) => [index, lie] as const))('leaves an honest token as it is (%i)', (_, lie) =>
    expectUnmoved(FLAUNCH, HONEST, [lie]),
  )

  it('does not come before the hook’s report of a swap', async () => {
    const [first = expect.unreachable(), ...rest] = BUY
    const lie = by(TREASURY, reported({ uniAmount0: 10n ** 24n, uniAmount1: -1n }))
    expect(await rowsOf(FLAUNCH, [[LAUNCH], [[first, lie, ...rest]]], 1)).toEqual(await rowsOf(FLAUNCH, [[LAUNCH], [BUY]], 1))
  })

  it('makes no token', async () => {
    const id = idOf(OTHER, FACTORY)
    for (const emitter of [LIAR, TREASURY, NFT, ESCROW, TOKEN]) {
      const { tables } = await followLogs({
        launchpads: [FLAUNCH],
        weth: WETH,
        blocks: [[LAUNCH], [[by(emitter, created(OTHER, id))]]],
        atOnce: 1,
      })
      expect([...tables.tokens.keys()]).toEqual([TOKEN])
    }
    const { tables } = await followLogs({ launchpads: [FLAUNCH], weth: WETH, blocks: [[LAUNCH], [[created(OTHER, id)]]], atOnce: 1 })
    expect([...tables.tokens.keys()]).toEqual([TOKEN, OTHER])
  })

  it('is not believed of the first version’s hook, which keeps the accounts itself', async () => {
    const oldest = entry('flaunch', { factory: FACTORY, nft: NFT, nativeToken: DOLLAR, poolManager: MANAGER, flETH: DOLLAR })
    const honest = HONEST.map(block => block.map(logs => logs.map(log => (log.address === ESCROW ? by(FACTORY, log) : log))))
    await expectUnmoved(oldest, honest, [deposited(CREATOR, 10n ** 20n), withdrawn(CREATOR, 3n)])
  })

  it('is counted as a log that fits no event where a report follows no swap', async () => {
    const { trades } = await rowsOf(FLAUNCH, [[LAUNCH], [[reported(WHOLE)], BUY, [swap(1n, -1n), reported(WHOLE), reported(WHOLE)]]], 1)
    expect(trades).toHaveLength(2)
  })
})
