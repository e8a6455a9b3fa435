import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbi, parseAbiParameters, parseEther } from 'viem'
import type { V4Extension, V4PoolKey } from '#devchain/v4Actions.ts'
import type { Address } from '#domain/address.ts'
import { compileSolidity } from './compileSolidity.ts'
import { deployContract } from './deployContract.ts'
import type { FactoriesChain } from './factories.ts'

const ABI = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function claim(address token)',
  'function buyIntoPresale() payable',
  'function endPresale(address launchpad, bytes launch)',
  'function bidInAuction(PoolKey key, bool zeroForOne, uint256 amountIn) payable',
])

type ExtensionName = 'vault' | 'airdrop' | 'presale' | 'devBuy'

/**
 * Contracts that get a part of a token's supply at its launch, and one that bids in auctions for others.
 *
 * @param team of each token: its vault's and developer's buy's account, and those of its airdrop
 */
export async function deployClankerExtensions(chain: FactoriesChain, team: readonly [owner: Address, ...airdropped: Address[]]) {
  const { weth } = chain.deployment
  const { poolManager, router, auction } = chain.factories.v4
  const contracts = compileSolidity(new URL('../launchpads/contracts/ClankerExtensions.sol', import.meta.url))
  const deployed = (name: string, args: readonly unknown[] = []) => deployContract(chain, contracts.get(name), args)
  const addresses: Readonly<Record<ExtensionName, Address>> = {
    vault: await deployed('Vault'),
    airdrop: await deployed('Airdrop'),
    presale: await deployed('Presale'),
    devBuy: await deployed('DevBuy', [poolManager, weth]),
  }
  const sniperUtil = await deployed('SniperUtil', [router, auction, weth])
  const [owner, ...airdropped] = team
  const dataFor = (name: ExtensionName): Hex =>
    name === 'airdrop'
      ? encodeAbiParameters(parseAbiParameters('address[]'), [airdropped])
      : encodeAbiParameters(parseAbiParameters('address'), [owner])
  return {
    ...addresses,
    sniperUtil,
    /** Each gets a tenth of the supply, but for the developer's buy, which gets ETH. */
    of: (names: readonly ExtensionName[]): readonly V4Extension[] =>
      names.map(name => ({
        target: addresses[name],
        bps: name === 'devBuy' ? 0 : 1_000,
        value: name === 'devBuy' ? parseEther('0.2') : 0n,
        data: dataFor(name),
      })),
    claimCall: (token: Address) => encodeFunctionData({ abi: ABI, functionName: 'claim', args: [token] }),
    buyCall: encodeFunctionData({ abi: ABI, functionName: 'buyIntoPresale' }),
    endCall: (launchpad: Address, launch: Hex) => encodeFunctionData({ abi: ABI, functionName: 'endPresale', args: [launchpad, launch] }),
    bidCall: (key: V4PoolKey, zeroForOne: boolean, amountIn: bigint) =>
      encodeFunctionData({ abi: ABI, functionName: 'bidInAuction', args: [key, zeroForOne, amountIn] }),
  }
}
