import { parseEther } from 'viem'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { type Decimal, ratio } from '#domain/decimal.ts'
import { WETH_UNIT } from '#domain/prices.ts'
import type { TestChain } from '#test/support/chain.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { deployContract, deployUniswapV2 } from '#test/support/deployContract.ts'
import { PAIRS, type Pad, padContract, pairReserves, publishedMapping, share, testPairs } from './pad.ts'

const CONTRACTS = compileSolidity(new URL('../../launchpads/contracts/FourMeme.sol', import.meta.url))
const STATUS = ['bonding', 'completed', 'migrated'] as const

type Info = readonly [
  base: Address,
  quote: Address,
  template: bigint,
  supply: bigint,
  maxOffers: bigint,
  maxRaising: bigint,
  launchTime: bigint,
  offers: bigint,
  funds: bigint,
  lastPrice: bigint,
  k: bigint,
  t: bigint,
  status: bigint,
]

/** four.meme. Its tokens are paid in ether and in another currency by turns. */
export async function openFourMeme(chain: TestChain): Promise<Pad> {
  const { weth } = chain.deployment
  const pairs = await deployUniswapV2(chain)
  const factory = await deployContract(chain, CONTRACTS.get('FourMeme'), [pairs, weth])
  const dollar = await deployContract(chain, CONTRACTS.get('Coin'), [18, parseEther('100000'), 0n])
  await share(chain, dollar)
  const pad = padContract(chain, factory, CONTRACTS.get('FourMeme')?.abi ?? [])
  const tokens: Address[] = []
  const creators = new Map<Address, Address>()
  const quoteOf = (index: number) => (index % 2 === 0 ? ZERO_ADDRESS : dollar)
  return {
    tokens,
    launchpads: publishedMapping('four-meme.json', weth, { factory }, { graduate: { pool: testPairs(pairs) } }),
    launch: async (from, firstBuy) => {
      const quote = quoteOf(tokens.length)
      const receipt = await pad.send(from, 'createToken', [quote, firstBuy], quote === ZERO_ADDRESS ? firstBuy : 0n)
      const token = pad.addressIn(receipt, 'TokenCreate', 2)
      tokens.push(token)
      creators.set(token, from)
    },
    trade: (from, token, side, amount) => {
      if (side === 'sell') return pad.send(from, 'sellToken', [token, amount])
      return pad.send(from, 'buyTokenAMAP', [token, amount], quoteOf(tokens.indexOf(token)) === ZERO_ADDRESS ? amount : 0n)
    },
    finish: token => pad.send(chain.accounts[0] as Address, 'addLiquidity', [token]),
    stateAt: async (token, block) => {
      const info = await pad.read<Info>('_tokenInfos', [token], block)
      const [, quote, , , , target, , , funds, price, , , status] = info
      const quoteToken = quote === ZERO_ADDRESS ? weth : quote
      const pair = await padContract(chain, pairs, PAIRS).read<Address>('getPair', [token, quoteToken], block)
      return {
        creator: creators.get(token) ?? ZERO_ADDRESS,
        name: 'Four',
        symbol: 'FOUR',
        quoteToken,
        price: ratio(price, WETH_UNIT) as Decimal,
        held: { quote: funds, token: null },
        target,
        status: STATUS[Number(status)] ?? 'none',
        pair: status === 2n ? await pairReserves(chain, pair, token, block) : null,
      }
    },
  }
}
