import { parseAbi } from 'viem'
import { compileSolidity } from './compileSolidity.ts'

/** A launchpad whose events name no maker, its notes, and who provides liquidity beside it. */
export const ODD_CONTRACTS = compileSolidity(new URL('../launchpads/contracts/OddPad.sol', import.meta.url))
export const ODD_PAD_ABI = parseAbi([
  'function launch(uint256 tax, bool hides) returns (address)',
  'function bundle(address note, address[] buyers, uint256 amount, uint256 order, address router) payable',
  'function unbundle(address note, address[] sellers, uint256 amount, bool first)',
  'function graduate(address note, uint160 sqrtPriceX96, uint128 liquidity) payable returns (address)',
  'function open(address note, uint160 sqrtPriceX96) payable returns (address)',
  'function add(address pool, address note, int24 lower, int24 upper, uint128 liquidity)',
  'function remove(address pool, int24 lower, int24 upper, uint128 liquidity)',
  'function buy(address pool, address note, address to, int256 paid) payable',
])
export const NOTE_ABI = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function burn(uint256 amount)',
  'function totalSupply() view returns (uint256)',
])
export const ODD_EVENTS = {
  launch: {
    event: 'event Launched(address indexed note, address indexed by)',
    emitter: 'factory',
    token: 'note',
    creator: 'by',
    decimals: 18,
  },
  buy: {
    event: 'event Bought(address indexed note, uint256 notes, uint256 paid)',
    emitter: 'factory',
    token: 'note',
    maker: 'transfers',
    tokenAmount: 'notes',
    quoteAmount: 'paid',
  },
  sell: {
    event: 'event Sold(address indexed note, uint256 notes, uint256 got)',
    emitter: 'factory',
    token: 'note',
    maker: 'transfers',
    tokenAmount: 'notes',
    quoteAmount: 'got',
  },
  graduate: {
    event: 'event Moved(address indexed note, address pool)',
    emitter: 'factory',
    token: 'note',
    pool: 'pool',
    poolType: 'uniswap-v3',
    poolFeeBps: 100,
  },
}
