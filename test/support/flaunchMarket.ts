import { concat, encodeAbiParameters, type Hex, parseAbi, parseAbiParameters, parseEther, parseEventLogs } from 'viem'
import { expect } from 'vitest'
import type { LaunchpadConfig } from '#config'
import type { Random } from '#devchain/traders/random.ts'
import { poolIdOf, type V4PoolKey } from '#devchain/v4Actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { TestChain } from './chain.ts'
import { compileSolidity } from './compileSolidity.ts'
import { contractAt } from './contractAt.ts'
import { deployContract } from './deployContract.ts'
import { deployHook, deployPoolManager } from './uniswapV4.ts'

export const FLAUNCH_ABI = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Launch { string name; address creator; uint24 allocation; uint256 fairSupply; uint256 duration; uint256 premine; bool first; }',
  'function flaunch(Launch launch)',
  'function flaunch(address to, Launch launch, address owner)',
  'function poolKey(address coin) view returns (PoolKey)',
  'function pools(bytes32 id) view returns (address coin, uint256 tokenId, uint24 allocation, bool fairLaunch, uint256 endsAt, uint256 supply, uint256 revenue, uint256 stock, uint256 fees)',
  'function swap(PoolKey key, bool zeroForOne, int256 amount, uint256 most, bytes hookData)',
  'function deposit(uint256 wethAmount) payable',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 id)',
  'function burn(uint256 value)',
  'function send(address coin, address to, uint256 amount)',
  'function setMetadata(string name, string symbol)',
  'function setDisabledState(bytes32 id, bool disabled)',
  'function withdrawFees(address recipient, bool unwrap)',
  'function ownerOf(uint256) view returns (address)',
  'function totalSupply() view returns (uint256)',
  'function treasury() view returns (address)',
  'function balances(address) view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Deposit(bytes32 indexed poolId, address payee, address token, uint256 amount)',
  'event Withdrawal(address sender, address recipient, address token, uint256 amount)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
  'event PoolSwap(bytes32 indexed poolId, int256 flAmount0, int256 flAmount1, int256 flFee0, int256 flFee1, int256 ispAmount0, int256 ispAmount1, int256 ispFee0, int256 ispFee1, int256 uniAmount0, int256 uniAmount1, int256 uniFee0, int256 uniFee1)',
])
/** BEFORE_SWAP and AFTER_SWAP, both with a delta of their own. */
const PERMISSIONS = 0xccn
const MAX = 2n ** 256n - 1n
const ABI = FLAUNCH_ABI

export interface Meme {
  readonly name: string
  readonly version: 1 | 2 | 3
  readonly factory: Address
  /** Keeps the accounts of the version. */
  readonly accounts: Address
  readonly token: Address
  readonly tokenId: bigint
  readonly key: V4PoolKey
  readonly id: Hex
  readonly treasury: Address
}
interface Launch {
  readonly first: boolean
  readonly allocation?: number
  readonly fairSupply?: bigint
  readonly duration?: bigint
  readonly premine?: bigint
  readonly zapped?: boolean
}
/** Three versions of Flaunch on a test chain, and accounts that launch, trade and claim at random. Gives the traders flETH. */
export async function openFlaunchMarket(chain: TestChain, random: Random) {
  const contracts = compileSolidity(new URL('../launchpads/contracts/Flaunch.sol', import.meta.url))
  const poolManager = await deployPoolManager(chain)
  const native = await deployContract(chain, contracts.get('FlETH'), [])
  const nft = await deployContract(chain, contracts.get('RevenueNft'), [])
  const escrow = await deployContract(chain, contracts.get('FeeEscrow'), [native])
  const bidWall = await deployContract(chain, contracts.get('BidWall'), [poolManager])
  const zap = await deployContract(chain, contracts.get('FlaunchZap'), [])
  const router = await deployContract(chain, contracts.get('FlaunchRouter'), [poolManager])
  const memes = new Map<string, Meme>()
  const factories = new Map<number, Address>()
  const meme = (name: string) => memes.get(name) ?? expect.unreachable()
  const factoryOf = (version: number) => factories.get(version) ?? expect.unreachable()

  const { account } = chain
  const at = (address: Address) => contractAt(chain, address, ABI)
  const traders = () => [account(2), account(3), account(4)]
  /** Own revenue NFTs, and do not trade. */
  const owners = () => [account(1), account(5), account(6)]
  const read = (address: Address, functionName: 'balanceOf' | 'balances', holder: Address) => at(address).read(functionName, [holder])
  const stateOf = async ({ factory, id }: Pick<Meme, 'factory' | 'id'>) => {
    const pool = await at(factory).read('pools', [id])
    return { tokenId: pool[1], fairLaunch: pool[3], endsAt: pool[4], supply: pool[5], stock: pool[7], fees: pool[8] }
  }

  async function launch(name: string, version: 1 | 2 | 3, { first, allocation = 5_000, ...options }: Launch) {
    const factory = factoryOf(version)
    const { fairSupply = 0n, duration = 0n, premine = 0n, zapped = false } = options
    const terms = { name, creator: zapped ? zap : account(1), allocation, fairSupply, duration, premine, first }
    const args = zapped ? ([factory, terms, account(1)] as const) : ([terms] as const)
    const receipt = await at(zapped ? zap : factory).send(account(0), 'flaunch', args)
    const minted = parseEventLogs({ abi: ABI, eventName: 'Transfer', logs: receipt.logs })
    const token = toAddress(
      minted.find(({ args: { from }, address }) => from === ZERO_ADDRESS && toAddress(address) !== nft)?.address ?? '',
    )
    const { currency0, currency1, hooks, ...rest } = await at(factory).read('poolKey', [token])
    const key = { ...rest, currency0: toAddress(currency0), currency1: toAddress(currency1), hooks: toAddress(hooks) }
    const id = poolIdOf(key)
    const treasury = toAddress(await at(token).read('treasury'))
    const { tokenId } = await stateOf({ factory, id })
    memes.set(name, { name, version, factory, accounts: version === 1 ? factory : escrow, token, tokenId, key, id, treasury })
    for (const trader of traders()) await at(token).queue(trader, 'approve', [router, MAX])
    await chain.mine()
  }

  async function trade(name = random.pick([...memes.keys()])) {
    const one = meme(name)
    const { token, key } = one
    const trader = random.pick(traders())
    const hookData = random.chance(0.3) ? encodeAbiParameters(parseAbiParameters('address'), [account(9)]) : '0x'
    const { fairLaunch, endsAt } = await stateOf(one)
    const { timestamp } = await chain.client.getBlock()
    const held = await read(token, 'balanceOf', trader)
    const sells = held > 10n ** 24n && !(fairLaunch && endsAt > timestamp) && random.chance(0.45)
    const zeroForOne = sells === (token === key.currency0)
    const swap = (amount: bigint, most: bigint) => at(router).send(trader, 'swap', [key, zeroForOne, amount, most, hookData])
    if (sells) {
      const amount = (held * BigInt(random.integer(5, 60))) / 100n
      // About a third of what the tokens are worth, at 1e-10 or more each.
      return random.chance(0.5) ? swap(-amount, amount) : swap(amount / 3n / 10n ** 10n, held)
    }
    const paid = BigInt(Math.round(random.spread(2e15, 2e17)))
    return random.chance(0.5) ? swap(-paid, paid) : swap(paid * 10n ** 9n, paid)
  }

  /** Four accounts buy a memecoin in the block after its launch, and its creator supplies an account, which supplies another one. */
  async function rush(name: string) {
    await at(native).queue(account(7), 'deposit', [0n], parseEther('1'))
    await at(native).send(account(7), 'approve', [router, MAX])
    await launch(name, 3, { first: true, premine: 10n ** 26n })
    const { token, key } = meme(name)
    const { timestamp } = await chain.client.getBlock()
    await chain.client.setNextBlockTimestamp({ timestamp: timestamp + 2n })
    const paid = 10n ** 15n
    const args = [key, token !== key.currency0, -paid, paid, '0x'] as const
    await chain.together([...traders(), account(7)].map(from => () => at(router).send(from, 'swap', args)))
    await at(token).send(account(1), 'transfer', [account(8), 1_000n])
    await at(token).send(account(8), 'transfer', [account(9), 1_000n])
  }

  async function act() {
    const one = meme(random.pick([...memes.keys()]))
    const { token, accounts, treasury, id } = one
    switch (random.weighted([26, 2, 4, 4, 1, 1, 1, 1])) {
      case 0:
        return trade()
      case 1: {
        const to = random.pick([account(8), account(3)])
        return at(token).send(account(2), 'transfer', [to, (await read(token, 'balanceOf', account(2))) / 10n])
      }
      case 2: {
        return handOver(one.name, random.pick(owners()))
      }
      case 3: {
        const owner = random.pick(owners())
        return at(accounts).send(owner, 'withdrawFees', [random.pick([owner, account(7)]), random.chance(0.5)])
      }
      case 4: {
        return at(token).send(account(0), 'setMetadata', [`Name ${random.integer(0, 99)}`, `SYM${random.integer(0, 99)}`])
      }
      case 5: {
        return at(bidWall).send(account(0), 'setDisabledState', [id, random.chance(0.5)])
      }
      case 6: {
        return at(treasury).send(account(0), 'send', [token, account(8), (await read(token, 'balanceOf', treasury)) / 2n])
      }
      default: {
        return at(token).send(account(3), 'burn', [(await read(token, 'balanceOf', account(3))) / 20n])
      }
    }
  }

  /** Passes a memecoin's revenue NFT on; to the zero address, it is burned. */
  async function handOver(name: string, to: Address) {
    const { tokenId } = meme(name)
    const owner = toAddress(await at(nft).read('ownerOf', [tokenId]))
    if (owner === ZERO_ADDRESS) return
    await at(nft).send(owner, 'transferFrom', [owner, to, tokenId])
  }

  for (const trader of traders()) {
    await at(native).queue(trader, 'deposit', [0n], parseEther('100'))
    await at(native).queue(trader, 'approve', [router, MAX])
  }
  await at(native).send(account(0), 'deposit', [0n], parseEther('10'))
  const types = parseAbiParameters('uint8, address, address, address, address, address')
  for (const version of [1, 2, 3]) {
    const args = encodeAbiParameters(types, [version, poolManager, native, nft, escrow, bidWall])
    const bytecode = concat([contracts.get('PositionManager')?.bytecode ?? '0x', args])
    factories.set(version, await deployHook(chain, bytecode, PERMISSIONS))
  }
  // What the third one's premines are paid with.
  await at(native).send(account(0), 'transfer', [factoryOf(3), parseEther('5')])
  /** The version's entry of `launchpads.json`. The first one keeps the accounts itself. */
  const entryOf = (version: 1 | 2 | 3): LaunchpadConfig => {
    const shared = { factory: factoryOf(version), nft, nativeToken: native, poolManager, bidWall, flETH: native }
    const { startBlock } = chain.deployment
    return { name: `v${version}`, adapter: 'flaunch', startBlock, contracts: version === 1 ? shared : { ...shared, feeEscrow: escrow } }
  }
  return { poolManager, native, memes, meme, entryOf, creator: account(1), owners, at, read, launch, trade, rush, act, handOver }
}
