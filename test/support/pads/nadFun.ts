import { parseEther } from 'viem'
import type { Address } from '#domain/address.ts'
import type { Decimal } from '#domain/decimal.ts'
import { quotePrice } from '#launchpads/pools/poolTrade.ts'
import type { TestChain } from '#test/support/chain.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { deployContract, deployUniswapV2 } from '#test/support/deployContract.ts'
import { ERC20, type Pad, padContract, pairReserves, publishedMapping, share } from './pad.ts'

const CONTRACTS = compileSolidity(new URL('../../launchpads/contracts/NadFun.sol', import.meta.url))

type Curve = readonly [
  creator: Address,
  quote: Address,
  virtualQuote: bigint,
  virtualToken: bigint,
  realQuote: bigint,
  pair: Address,
  graduated: boolean,
]

/** The second version of nad.fun. Its tokens are paid in WETH and in another currency by turns. */
export async function openNadFun(chain: TestChain): Promise<Pad> {
  const { weth } = chain.deployment
  const factory = await deployContract(chain, CONTRACTS.get('NadFun'), [await deployUniswapV2(chain)])
  const other = await deployContract(chain, CONTRACTS.get('Coin'), [18, parseEther('100000'), 0n])
  for (const trader of chain.accounts.slice(1)) {
    const wrapped = padContract(chain, weth, ERC20)
    await wrapped.send(trader, 'deposit', [], parseEther('300'))
    await wrapped.send(trader, 'approve', [factory, parseEther('300')])
  }
  await share(chain, other)
  const pad = padContract(chain, factory, CONTRACTS.get('NadFun')?.abi ?? [])
  const tokens: Address[] = []
  return {
    tokens,
    launchpads: publishedMapping('nad-fun-v2.json', weth, { factory }),
    launch: async (from, firstBuy) => {
      const receipt = await pad.send(from, 'create', [tokens.length % 2 === 0 ? weth : other, firstBuy])
      tokens.push(pad.addressIn(receipt, 'Create', 2))
    },
    trade: (from, token, side, amount) => pad.send(from, side, [token, amount]),
    stateAt: async (token, block) => {
      const [creator, quoteToken, virtualQuote, virtualToken, realQuote, pair, isGraduated] = await pad.read<Curve>(
        'curves',
        [token],
        block,
      )
      return {
        creator,
        name: 'Nad',
        symbol: 'NAD',
        quoteToken,
        price: quotePrice(virtualQuote, virtualToken, 18) as Decimal,
        status: isGraduated ? 'migrated' : 'bonding',
        held: { quote: realQuote, token: await padContract(chain, token, ERC20).read<bigint>('balanceOf', [factory], block) },
        target: await pad.read<bigint>('target'),
        pair: isGraduated ? await pairReserves(chain, pair, token, block) : null,
      }
    },
  }
}
