import { parseAbi } from 'viem'
import { compileSolidity } from './compileSolidity.ts'

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

const DEALT =
  'event Dealt(bool coinsSold, uint256 coins, uint256 curveWei, uint256 houseFee, uint256 artistFee, address artist, address coin, address dealer)'

/** How `launchpads.json` maps the bazaar's events. */
export const BAZAAR_EVENTS = {
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
