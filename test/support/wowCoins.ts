import { encodeDeployData, parseAbi } from 'viem'
import type { LaunchpadConfig } from '#config'
import { approve } from '#devchain/actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { fetchCurrency } from '#jobs/currencyReader.ts'
import { createRpc } from '#rpc/rpc.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { writeCurrencies } from '#store/rows/currencies.ts'
import type { TestChain } from './chain.ts'
import { compileSolidity } from './compileSolidity.ts'
import { contractAt, eventIn } from './contractAt.ts'
import { silentLogger, type TestDatabase } from './database.ts'
import { deployContract } from './deployContract.ts'
import { saltFor } from './saltFor.ts'

const FACTORY = parseAbi([
  'function deploy(address creator, address currency, uint24 fee, bytes32 salt, uint256 firstBuy, bool old) payable',
  'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)',
])
const COIN = parseAbi([
  'constructor(address creator, address currency, uint24 fee)',
  'function buy(address recipient, uint256 amount) payable',
  'function claimSecondaryRewards()',
])

export interface WowCoin {
  readonly token: Address
  readonly pool: Address
  /** The zero address: ETH. */
  readonly currency: Address
}

interface CoinLaunch {
  readonly creator: Address
  readonly currency: Address
  /** Of the pool, in hundredths of a basis point. Default 10,000. */
  readonly fee?: number
  readonly firstBuy: bigint
  /** The factory's older event. Default no. */
  readonly old?: boolean
  /** Which addresses the coin may have. Default all. */
  readonly fits?: (coin: Address) => boolean
}

/** Deploys WOW's factory of coins, which have no curve and trade in any currency over the real Uniswap v3. */
export async function deployWowCoins(chain: TestChain) {
  const { weth, positionManager, swapRouter, uniswapFactory } = chain.deployment
  const payer = chain.account(0)
  const contracts = compileSolidity(new URL('../launchpads/contracts/WowCoins.sol', import.meta.url))
  const rewards = await deployContract(chain, contracts.get('Rewards'), [])
  const factory = await deployContract(chain, contracts.get('CoinFactory'), [weth, positionManager, swapRouter, rewards])
  /** Lets a contract take the payment; returns what is sent along with the call. */
  const pay = async (spender: Address, currency: Address, amount: bigint) => {
    if (currency === ZERO_ADDRESS) return amount
    await chain.mined(approve(chain, { from: payer, currency, spender, amount }))
    return 0n
  }
  /** `launchpads.json` for the coins. Without contracts of Uniswap's, an adapter does not know the fees of pools. */
  const launchpads = (uniswap: Readonly<Record<string, Address>> = { uniswapFactory }): readonly LaunchpadConfig[] => [
    { name: 'wow', adapter: 'wow', startBlock: 1, contracts: { factory, protocolRewards: rewards, ...uniswap } },
  ]
  return {
    factory,
    rewards,
    launchpads,
    /** A currency whose whole supply the first account has. */
    deployDollar: () => deployContract(chain, contracts.get('LaunchToken'), ['Dollar', 'USD', payer]),
    launch: async ({ creator, currency, fee = 10_000, firstBuy, old = false, fits = () => true }: CoinLaunch): Promise<WowCoin> => {
      const paired = currency === ZERO_ADDRESS ? weth : currency
      const bytecode = encodeDeployData({ abi: COIN, bytecode: contracts.get('Coin')?.bytecode ?? '0x', args: [creator, paired, fee] })
      const { salt } = saltFor(factory, bytecode, fits)
      const value = await pay(factory, currency, firstBuy)
      const receipt = await contractAt(chain, factory, FACTORY).send(payer, 'deploy', [creator, currency, fee, salt, firstBuy, old], value)
      const { tokenAddress, poolAddress } = eventIn(receipt, FACTORY, 'WowTokenCreated')
      return { token: toAddress(tokenAddress), pool: toAddress(poolAddress), currency }
    },
    /** The first account buys for the recipient. */
    buy: async ({ token, currency }: WowCoin, recipient: Address, amount: bigint) => {
      const value = await pay(token, currency, amount)
      return contractAt(chain, token, COIN).send(payer, 'buy', [recipient, amount], value)
    },
    claimRewards: ({ token }: WowCoin, sender: Address) => contractAt(chain, token, COIN).send(sender, 'claimSecondaryRewards', []),
  }
}

/** Stores what the service asks of currencies that it meets. */
export async function readCurrencies({ anvil }: TestChain, { orm }: TestDatabase, ...currencies: readonly Address[]): Promise<void> {
  const rpc = createRpc({ urls: [anvil.url], chainId: null, logger: silentLogger })
  const read = await Promise.all(currencies.map(address => fetchCurrency(rpc, address))).finally(() => rpc.close())
  await createTransaction(orm)(tx => writeCurrencies(tx, read, 1))
}
