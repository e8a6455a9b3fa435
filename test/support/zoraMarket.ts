import { concat, encodeAbiParameters, parseAbi, parseAbiParameters, parseEther } from 'viem'
import { transfer, wrap } from '#devchain/actions.ts'
import type { Random } from '#devchain/traders/random.ts'
import type { V4PoolKey } from '#devchain/v4Actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { TestChain } from './chain.ts'
import { balanceOf } from './chainReads.ts'
import { compileSolidity } from './compileSolidity.ts'
import { contractAt } from './contractAt.ts'
import { deployContract } from './deployContract.ts'
import { saltFor } from './saltFor.ts'
import { testAddress } from './simulatedChain.ts'
import { deployHook, deployPoolManager } from './uniswapV4.ts'

export const ZORA_ABI = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function deploy(uint8 kind, address payoutRecipient, address currency, address hook, bytes32 salt) returns (address)',
  'function swap(PoolKey[] path, address currencyIn, uint256 amount) payable',
  'function poolKey() view returns (PoolKey)',
  'function payoutRecipient() view returns (address)',
  'function getClaimableAmount() view returns (uint256)',
  'function totalClaimed() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function setPayoutRecipient(address recipient)',
  'function setNameAndSymbol(string newName, string newSymbol)',
  'function setContractURI(string newURI)',
  'function tokenURI() view returns (string)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function claimVesting()',
  'function migrateLiquidity(address newHook)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
])
/** AFTER_INITIALIZE and AFTER_SWAP. */
const PERMISSIONS = 0x1040n
const MAX = 2n ** 256n - 1n

export const CONTENT = 0
/** Vests to its creator. */
export const CREATOR = 1
/** Pays nothing to anyone. */
export const TREND = 2

export interface Coin {
  readonly kind: typeof CONTENT | typeof CREATOR | typeof TREND
  readonly token: Address
  readonly currency: Address
  /** What rewards are paid in: the end of the coin's path. */
  readonly paidIn: Address
  /** Accounts that do nothing else; the first is the creator. */
  readonly recipients: readonly Address[]
}

/** Coins in Uniswap v4 pools, traded along paths by accounts and their routers, at random. */
export type ZoraMarket = Awaited<ReturnType<typeof openZoraMarket>>

/** Deploys the contracts and launches coins in ETH, WETH, ZORA and coins, once `before` is done. */
export async function openZoraMarket(chain: TestChain, random: Random, before: (market: Pick<ZoraMarket, 'launchpads'>) => Promise<void>) {
  const { account } = chain
  const { weth, startBlock } = chain.deployment
  const contracts = compileSolidity(new URL('../launchpads/contracts/ZoraCoins.sol', import.meta.url), { viaIR: true })
  const bytecodeOf = (name: string, types: string, args: readonly unknown[]) =>
    concat([contracts.get(name)?.bytecode ?? '0x', encodeAbiParameters(parseAbiParameters(types), args)])
  const poolManager = await deployPoolManager(chain)
  const factory = await deployContract(chain, contracts.get('ZoraFactory'), [poolManager])
  const trusted = await deployContract(chain, contracts.get('PathRouter'), [poolManager])
  const untrusted = await deployContract(chain, contracts.get('PathRouter'), [poolManager])
  const zora = await deployContract(chain, contracts.get('LaunchToken'), ['Zora', 'ZORA', account(0)])
  const hookOf = (believed: Address, isLegacy: boolean) =>
    deployHook(chain, bytecodeOf('CoinHook', 'address, address, address, bool', [poolManager, factory, believed, isLegacy]), PERMISSIONS)
  const hook = await hookOf(trusted, false)
  // Other arguments give the second hook another address.
  const newHook = await hookOf(untrusted, false)
  const legacyHook = await hookOf(trusted, true)
  const traders = [account(2), account(3), account(4)]
  const coins = new Map<string, Coin>()
  const coin = (name: string): Coin => {
    const found = coins.get(name)
    if (found === undefined) throw new Error(`no coin ${name}`)
    return found
  }
  const at = (address: Address) => contractAt(chain, address, ZORA_ABI)
  const quoteCoin = (currency: Address) => [...coins.values()].find(({ token }) => token === currency)
  const anyCoin = () => random.pick([...coins.keys()])

  async function keyOf(token: Address): Promise<V4PoolKey> {
    const { currency0, currency1, hooks, ...rest } = await at(token).read('poolKey')
    return { ...rest, currency0: toAddress(currency0), currency1: toAddress(currency1), hooks: toAddress(hooks) }
  }

  /** @param first whether the coin is to be its pool's first currency */
  async function launch(name: string, kind: Coin['kind'], currency: Address, first: boolean, through = hook) {
    const bytecode = bytecodeOf('ZoraCoin', 'uint8 kind, address currency', [kind, currency])
    const { salt, address: token } = saltFor(factory, bytecode, coin => coin < currency === first)
    const recipients = kind === TREND ? [ZERO_ADDRESS] : [1, 2].map(index => testAddress(50_000 + coins.size * 10 + index))
    await at(factory).send(account(1), 'deploy', [kind, recipients[0] ?? ZERO_ADDRESS, currency, through, salt])
    coins.set(name, { kind, token, currency, paidIn: quoteCoin(currency)?.paidIn ?? currency, recipients })
  }

  /** The coins on the way from what traders hold. */
  function pathTo(one: Coin): readonly Coin[] {
    const quote = quoteCoin(one.currency)
    return quote === undefined ? [one] : [...pathTo(quote), one]
  }

  async function trade() {
    const one = coin(anyCoin())
    const trader = random.pick(traders)
    const router = at(random.pick([trusted, untrusted]))
    const path = pathTo(one)
    const keys = await Promise.all(path.map(({ token }) => keyOf(token)))
    const held = await balanceOf(chain, one.token, trader)
    if (held > 0n && random.chance(0.4))
      return router.send(trader, 'swap', [keys.toReversed(), one.token, (held * BigInt(random.integer(1, 50))) / 100n])
    const currency = path[0]?.currency ?? one.currency
    const amount = BigInt(Math.round(random.spread(1e13, 3e15)))
    return router.send(trader, 'swap', [keys, currency, amount], currency === ZERO_ADDRESS ? amount : 0n)
  }

  const rename = (name: string, ...names: readonly [name: string, symbol: string]) =>
    at(coin(name).token).send(account(5), 'setNameAndSymbol', names)

  async function act() {
    switch (random.weighted([20, 2, 2, 2, 1, 1])) {
      case 0:
        return trade()
      case 1: {
        const { token } = coin(anyCoin())
        const amount = (await balanceOf(chain, token, account(2))) / 10n
        return chain.mined(transfer(chain, { from: account(2), currency: token, to: random.pick([account(6), account(3)]), amount }))
      }
      case 2: {
        const { token, recipients } = coin(random.pick(['creator', 'content', 'ether', 'wrapped', 'legacy']))
        return at(token).send(account(5), 'setPayoutRecipient', [random.pick(recipients)])
      }
      case 3:
        return at(coin(random.pick(['creator', 'legacy'])).token).send(account(5), 'claimVesting', [])
      case 4: {
        const uri = random.pick(['ipfs://content', `ipfs://other-${random.integer(0, 9)}`])
        return at(coin(anyCoin()).token).send(account(5), 'setContractURI', [uri])
      }
      default: {
        const names = [`Name ${random.integer(0, 99)}`, `SYM${random.integer(0, 99)}`] as const
        return rename(anyCoin(), ...names)
      }
    }
  }

  const migrate = (name: string) => at(coin(name).token).send(account(5), 'migrateLiquidity', [newHook])

  for (const trader of traders) {
    await chain.mined(wrap(chain, { from: trader, amountWei: parseEther('5') }))
    await chain.mined(transfer(chain, { from: account(0), currency: zora, to: trader, amount: parseEther('100') }))
  }
  const launchpads = [{ name: 'zora', adapter: 'zora-coins', startBlock, contracts: { factory, poolManager } }]
  await before({ launchpads })
  await launch('creator', CREATOR, zora, true)
  await launch('legacy', CREATOR, zora, false, legacyHook)
  await launch('content', CONTENT, coin('creator').token, false)
  await launch('second', CONTENT, coin('creator').token, true)
  await launch('trend', TREND, zora, true)
  await launch('ether', CONTENT, ZERO_ADDRESS, false)
  await launch('wrapped', CONTENT, weth, true)
  for (const currency of [zora, weth, ...[...coins.values()].map(({ token }) => token)]) {
    for (const trader of traders) for (const router of [trusted, untrusted]) await at(currency).queue(trader, 'approve', [router, MAX])
  }
  await chain.mine()
  return { poolManager, zora, hook, launchpads, coins, coin, at, keyOf, act, rename, migrate }
}
