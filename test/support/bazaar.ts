import { pad, parseAbi, parseEther, stringToHex, type TransactionReceipt } from 'viem'
import { approve, transfer, wrap } from '#devchain/actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import type { TestChain } from './chain.ts'
import { compileSolidity } from './compileSolidity.ts'
import { contractAt } from './contractAt.ts'
import { deployContract, deployUniswapV2 } from './deployContract.ts'

/** `Bazaar`: one contract that is the curve of all of its coins, which graduate into Uniswap v2 pairs. `FolkMaker`: another launchpad. */
export const MAPPED_CONTRACTS = compileSolidity(new URL('../launchpads/contracts/Mapped.sol', import.meta.url))

export const BAZAAR_ABI = parseAbi([
  'function open(bytes32 title, bytes8 ticker, uint256 taxPercent) payable returns (address)',
  'function buy(address coin) payable',
  'function sell(address coin, uint256 coins)',
  'function finish(address coin, uint256 wethIn) payable',
  'function swapIn(address coin, address to) payable',
  'function swapOut(address coin, uint256 coins)',
  'function collect(uint256 amount)',
  'function annex(address coin, address paired, address where, uint256 coins, uint256 amount) returns (address)',
  'function swapAt(address pair, address coin, address paired, uint256 amountIn)',
  'function owed(address) view returns (uint256)',
  'function stalls(address) view returns (address artist, uint256 raised, address pair)',
  'function make(string title, bytes ticker) returns (address)',
])

/** Of a bazaar's coins and of folk's tokens. */
export const COIN_ABI = parseAbi([
  'function totalSupply() view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function rebase(address holder, uint256 more)',
  'function spot() view returns (uint256)',
  'function pair() view returns (address)',
  'function grow()',
  'function buy(uint256 tokens) payable',
  'function sell(uint256 tokens)',
])

export const PAIR_ABI = parseAbi([
  'function mint(address to) returns (uint256)',
  'function burn(address to) returns (uint256, uint256)',
  'function skim(address to)',
  'function sync()',
  'function getReserves() view returns (uint112, uint112, uint32)',
])

const DEALT =
  'event Dealt(bool coinsSold, uint256 coins, uint256 curveWei, uint256 houseFee, uint256 artistFee, address artist, address coin, address dealer)'

/** How `launchpads.json` maps the bazaar's events. */
const BAZAAR_EVENTS = {
  launch: {
    event: 'event Opened(bytes32 title, bytes8 indexed ticker, address indexed artist, address coin, uint256 goal)',
    emitter: 'factory',
    token: 'coin',
    creator: 'artist',
    decimals: 18,
    name: 'title',
    symbol: 'ticker',
    target: 'goal',
  },
  trade: {
    event: DEALT,
    emitter: 'factory',
    token: 'coin',
    maker: 'dealer',
    isSell: 'coinsSold',
    tokenAmount: 'coins',
    quoteAmount: 'curveWei',
    fee: ['houseFee', 'artistFee'],
    quoteAmountIs: 'afterFees',
  },
  graduate: { event: 'event Moved(address pair, address coin)', emitter: 'factory', token: 'coin', pool: 'pair', poolType: 'uniswap-v2' },
  pool: {
    event: 'event Annexed(address pair, address coin, address indexed paired)',
    emitter: 'factory',
    token: 'coin',
    pool: 'pair',
    poolType: 'uniswap-v2',
    quoteToken: 'paired',
  },
  feeAccrued: { event: DEALT, emitter: 'factory', token: 'coin', creator: 'artist', amount: 'artistFee', currency: 'native' },
  feeClaimed: {
    event: 'event Paid(address indexed artist, uint256 amount)',
    emitter: 'factory',
    creator: 'artist',
    amount: 'amount',
    currency: 'native',
  },
  claimCall: { function: 'function collect(uint256 amount)', contract: 'factory', arguments: ['amount'] },
}

/** How `launchpads.json` maps the events of `FolkMaker`, whose tokens are their own curves. */
export const FOLK_EVENTS = {
  launch: {
    event:
      'event Born(uint256 supply, (address by, string title, bytes ticker, uint8 decimals) about, uint16 cutBps, address indexed folk)',
    emitter: 'factory',
    token: 'folk',
    creator: 'about.by',
    decimals: 'about.decimals',
    name: 'about.title',
    symbol: 'about.ticker',
    totalSupply: 'supply',
    feeBps: 'cutBps',
    price: '1000000000000',
  },
  buy: {
    event: 'event Purchase(uint256 got, uint256 gross, uint256 cut, uint256 spot, address indexed by)',
    emitter: 'token',
    maker: 'by',
    tokenAmount: 'got',
    quoteAmount: 'gross',
    fee: 'cut',
    quoteAmountIs: 'beforeFees',
    price: 'spot',
  },
  sell: {
    event: 'event Sale(uint256 gave, uint256 gross, uint256 cut, uint256 spot, address indexed by)',
    emitter: 'token',
    maker: 'by',
    tokenAmount: 'gave',
    quoteAmount: 'gross',
    fee: 'cut',
    quoteAmountIs: 'beforeFees',
    price: 'spot',
  },
  graduate: { event: 'event Grown(address nest, uint24 pips)', emitter: 'token', pool: 'nest', poolType: 'uniswap-v2', poolFeeBps: 25 },
}

export type Bazaar = Awaited<ReturnType<typeof openBazaar>>

/** Deploys a bazaar and the factory of its pairs. Each action mines blocks of its own. */
export async function openBazaar(chain: TestChain) {
  const { account } = chain
  const { weth, startBlock } = chain.deployment
  const factory = await deployUniswapV2(chain)
  const contract = contractAt(chain, await deployContract(chain, MAPPED_CONTRACTS.get('Bazaar'), [weth, factory]), BAZAAR_ABI)
  /** The address in a word of a receipt's last log. */
  const addressIn = ({ logs }: TransactionReceipt, word: number) =>
    toAddress(`0x${(logs.at(-1)?.data ?? '').slice(2 + 64 * word + 24, 2 + 64 * (word + 1))}`)
  const pairOf = async (coin: Address) => toAddress((await contract.read('stalls', [coin]))[2])
  return {
    contract,
    /** Of its pairs. */
    factory,
    /** Its entry in `launchpads.json`. */
    entry: { name: 'bazaar', adapter: 'bonding-curve', factory: contract.address, startBlock, events: BAZAAR_EVENTS },
    pairOf,
    open: async (title: string, { taxPercent = 0n, firstBuy = 0n } = {}) => {
      const words = [pad(stringToHex(title), { dir: 'right', size: 32 }), pad(stringToHex('TICK'), { dir: 'right', size: 8 })] as const
      return addressIn(await contract.send(account(1), 'open', [...words, taxPercent], firstBuy), 1)
    },
    /** Moves a coin into its pair and trades there. Returns the receipt of the move. */
    graduate: async (coin: Address) => {
      const moved = await contract.send(account(4), 'finish', [coin, parseEther('0.1')], parseEther('2'))
      await contract.send(account(5), 'swapIn', [coin, account(6)], parseEther('0.25'))
      await contract.send(account(6), 'swapOut', [coin, 10n ** 13n])
      return moved
    },
    /** Liquidity comes to a coin's pair and goes, and what is given away is taken or counted. */
    churn: async (coin: Address) => {
      const someone = account(5)
      const pair = contractAt(chain, await pairOf(coin), PAIR_ABI)
      const give = (currency: Address, amount: bigint) =>
        chain.mined(transfer(chain, { from: someone, currency, to: pair.address, amount }))
      await contract.send(someone, 'swapIn', [coin, someone], parseEther('0.3'))
      await chain.mined(wrap(chain, { from: someone, amountWei: parseEther('1') }))
      await give(coin, 10n ** 18n)
      await give(weth, parseEther('0.01'))
      await pair.send(someone, 'mint', [someone])
      await give(pair.address, 10n ** 14n)
      await pair.send(someone, 'burn', [someone])
      await give(coin, 10n ** 15n)
      await pair.send(someone, 'skim', [someone])
      await give(coin, 10n ** 15n)
      await pair.send(someone, 'sync', [])
    },
    /** Opens another pair of a coin with what the account holds, and buys there, a block for each amount. */
    annex: async (coin: Address, { from, paired, where, coins, amount, buys }: Annex) => {
      if (paired === weth) await chain.mined(approve(chain, { from, currency: weth, spender: contract.address, amount: parseEther('1') }))
      const pair = addressIn(await contract.send(from, 'annex', [coin, paired, where, coins, amount]), 0)
      for (const amountIn of buys) await contract.send(from, 'swapAt', [pair, coin, paired, amountIn])
      return pair
    },
  }
}

interface Annex {
  readonly from: Address
  readonly paired: Address
  /** The factory of the pair. */
  readonly where: Address
  /** What goes into the pair of each. */
  readonly coins: bigint
  readonly amount: bigint
  readonly buys: readonly bigint[]
}
