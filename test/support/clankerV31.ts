import { encodeDeployData, parseAbi, parseEther } from 'viem'
import type { LaunchpadConfig } from '#config'
import { type Address, toAddress } from '#domain/address.ts'
import type { TestChain } from './chain.ts'
import { compileSolidity } from './compileSolidity.ts'
import { contractAt, eventIn } from './contractAt.ts'
import { deployContract } from './deployContract.ts'
import { saltFor } from './saltFor.ts'

const abi = parseAbi([
  'struct Launch { string name; string symbol; string metadata; bytes32 salt; address paired; int24 tick; uint160 sqrtPriceX96; uint256 share; address recipient; uint8 vaulted; }',
  'function deployToken(Launch launch) payable returns (address token, uint256 id)',
  'function updateCreatorRewardRecipient(uint256 id, address recipient)',
  'function collectRewards(uint256 id)',
  'function vault() view returns (address)',
  'function withdraw(address token, uint256 amount, address to)',
  'event TokenCreated(address indexed tokenAddress, address indexed creatorAdmin, address indexed interfaceAdmin, address creatorRewardRecipient, address interfaceRewardRecipient, uint256 positionId, string name, string symbol, int24 startingTickIfToken0IsNewToken, string metadata, uint256 amountTokensBought, uint256 vaultDuration, uint8 vaultPercentage, address msgSender)',
])
const TOKEN = parseAbi(['constructor(string name, string symbol, address holder)'])
const CONTRACTS = new URL('../launchpads/contracts/ClankerV31.sol', import.meta.url)
const TICK = -200_000

export interface ClankerLaunch {
  readonly name: string
  readonly symbol: string
  readonly paired: Address
  /** Whether the token's address is lower than its quote token's. */
  readonly first: boolean
  /** The creator's percent. Default 40. */
  readonly share?: number
  readonly recipient: Address
  /** The buy inside the creation. Default 0: none. */
  readonly buy?: string
  /** The percent of the supply in the vault. Default 0. */
  readonly vaulted?: number
}

export interface LaunchedClanker {
  readonly token: Address
  readonly pool: Address
  readonly positionId: bigint
}

/** The tests' Clanker v3.1 contracts, on a chain with the real Uniswap v3. */
export interface ClankerV31 {
  readonly factory: Address
  readonly locker: Address
  readonly vault: Address
  readonly launchpads: readonly LaunchpadConfig[]
  /** Each of these mines a block. */
  launch(creator: Address, launch: ClankerLaunch): Promise<LaunchedClanker>
  collect(sender: Address, positionId: bigint): Promise<unknown>
  handOver(creator: Address, positionId: bigint, to: Address): Promise<unknown>
  withdraw(creator: Address, token: Address, amount: bigint): Promise<unknown>
}

export async function deployClankerV31(chain: TestChain): Promise<ClankerV31> {
  const { positionManager, uniswapFactory, swapRouter, weth, deployer, startBlock, abis } = chain.deployment
  const contracts = compileSolidity(CONTRACTS, { viaIR: true })
  const locker = await deployContract(chain, contracts.get('FakeLocker'), [positionManager, deployer])
  const factory = await deployContract(chain, contracts.get('FakeFactory'), [uniswapFactory, positionManager, swapRouter, locker, weth])
  const at = (address: Address) => contractAt(chain, address, abi)
  const vault = toAddress(await at(factory).read('vault'))

  return {
    factory,
    locker,
    vault,
    launchpads: [{ name: 'clanker', adapter: 'clanker-v3.1', startBlock, contracts: { factory, locker, uniswapFactory } }],
    launch: async (creator, options) => {
      const { name, symbol, paired, first, share = 40, recipient, buy = '0', vaulted = 0 } = options
      // Slightly outside the position's range, because floating point is not exact.
      const sqrt = 1.0001 ** ((first ? TICK : -TICK) / 2) * (first ? 1 - 1e-9 : 1 + 1e-9)
      const sqrtPriceX96 = BigInt(Math.floor(sqrt * 2 ** 48)) << 48n
      const metadata = '{"description":"d"}'
      const bytecode = encodeDeployData({
        abi: TOKEN,
        bytecode: contracts.get('ClankerToken')?.bytecode ?? '0x',
        args: [name, symbol, factory],
      })
      const { salt } = saltFor(factory, bytecode, address => address < paired === first)
      const terms = { name, symbol, metadata, salt, paired, tick: TICK, sqrtPriceX96, share: BigInt(share), recipient, vaulted }
      const { logs } = await at(factory).send(creator, 'deployToken', [terms], parseEther(buy))
      // Announced last, as the real factory does.
      const { tokenAddress, positionId } = eventIn({ logs: logs.slice(-1) }, abi, 'TokenCreated')
      const token = toAddress(tokenAddress)
      const pair = [token, paired, 10_000] as const
      const pool = await contractAt(chain, uniswapFactory, abis.factory).read('getPool', pair)
      return { token, pool: toAddress(pool), positionId }
    },
    collect: (sender, positionId) => at(locker).send(sender, 'collectRewards', [positionId]),
    withdraw: (creator, token, amount) => at(vault).send(creator, 'withdraw', [token, amount, creator]),
    handOver: (creator, positionId, to) => at(locker).send(creator, 'updateCreatorRewardRecipient', [positionId, to]),
  }
}
