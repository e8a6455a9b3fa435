import type { Random } from '#devchain/traders/random.ts'
import type { Address, Hex } from '#domain/address.ts'
import { type NewLog, testAddress } from './simulatedChain.ts'
import { CLANKER_TOPICS, CLANKER_V4, swapLog } from './simulatedClanker.ts'
import { LAUNCHPAD_TOPICS, type Market, tradeBlock, WETH } from './simulatedLaunchpad.ts'
import { topic, transferLog, v3SwapLog, words } from './simulatedLogs.ts'
import { COIN_POSITION, ZORA_TOPICS } from './simulatedZora.ts'

/* Who is early in a simulated market: crowds that buy in the block of a launch, or in its transaction, and creators that supply accounts. */

const CROWD = Array.from({ length: 8 }, (_, index) => testAddress(9_500 + index))
const ROUTER = testAddress(9_600)
const CREATIONS: readonly Hex[] = [LAUNCHPAD_TOPICS.launched, CLANKER_TOPICS.created31, CLANKER_TOPICS.created4, ZORA_TOPICS.created]

interface Early {
  readonly token: Address
  readonly creator: Address
  /** The logs of a purchase. */
  buy(maker: Address, random: Random): readonly NewLog[]
}

/** As `tradeBlock`, with what happens around launches. */
export function tradeEarly(market: Market, random: Random): ReturnType<typeof tradeBlock> {
  const traded = tradeBlock(market, random)
  const known = new Set(tokensOf(market).map(({ token }) => token))
  let { logs } = traded
  let tx = 1_000
  for (const early of tokensOf(traded.market)) {
    if (known.has(early.token) ? random.chance(0.75) : random.chance(0.1)) continue
    const crowd = CROWD.filter(() => random.chance(0.6))
    const purchases = crowd.map(maker => early.buy(maker, random))
    if (!known.has(early.token) && random.chance(0.4)) logs = withinLaunch(logs, early.token, purchases.flat())
    else logs = [...logs, ...purchases.flatMap(some => ofOne(some, tx++))]
    while (random.chance(0.7)) logs = [...logs, ...ofOne(supply(early, random), tx++)]
  }
  return { ...traded, logs }
}

function tokensOf({ tokens, clankers, coins }: Market): readonly Early[] {
  const amountOf = (random: Random) => BigInt(random.integer(1, 1_000)) * 10n ** 18n
  return [
    ...tokens
      .filter(({ pool }) => pool === null)
      .map(
        ({ token, creator, curve }): Early => ({
          token,
          creator,
          buy: (maker, random) => {
            const amount = amountOf(random)
            const data = words(10n ** 16n, 10n ** 14n, amount, 3n * 10n ** 18n, 10n ** 27n - amount, 10n ** 18n, 10n ** 27n - amount)
            return [
              transferLog(token, curve, maker, amount),
              { address: curve, topics: [LAUNCHPAD_TOPICS.bought, topic(maker), topic(maker)], data },
            ]
          },
        }),
      ),
    ...clankers.map(
      (clanker): Early => ({
        ...clanker,
        buy: (maker, random) => {
          const { token, version } = clanker
          const amount = amountOf(random)
          if (version === '3.1') {
            const swap = v3SwapLog(clanker.pool, maker, bought(token, clanker.quote, amount), random)
            return [transferLog(token, clanker.pool, maker, amount), swap]
          }
          const swap = swapLog(clanker.pool, clanker.positions, maker, random, bought(token, WETH, amount))
          return [swap, transferLog(token, CLANKER_V4.poolManager, maker, amount)]
        },
      }),
    ),
    ...coins.map(
      ({ token, recipient, quote, pool }): Early => ({
        token,
        creator: recipient,
        buy: (maker, random) => {
          const amount = amountOf(random)
          const swap = swapLog(pool, [COIN_POSITION], maker, random, bought(token, quote, amount))
          return [swap, transferLog(token, CLANKER_V4.poolManager, maker, amount)]
        },
      }),
    ),
  ]
}

/** What leaves the pool is negative. */
function bought(token: Address, quote: Address, amount: bigint) {
  const paid = 10n ** 16n
  return token < quote ? { amount0: -amount, amount1: paid } : { amount0: paid, amount1: -amount }
}

/** Tokens of the creator or of an account that it may have supplied, also through an account that keeps none. */
function supply({ token, creator }: Early, random: Random): readonly NewLog[] {
  const from = random.chance(0.6) ? creator : random.pick(CROWD)
  const to = random.pick(CROWD)
  const amount = BigInt(random.integer(1, 1_000)) * 10n ** 18n
  if (random.chance(0.6)) return [transferLog(token, from, to, amount)]
  return [transferLog(token, from, ROUTER, amount), transferLog(token, ROUTER, to, amount)]
}

const ofOne = (logs: readonly NewLog[], tx: number): readonly NewLog[] => logs.map(log => ({ ...log, tx }))

/** Real launchpads announce a token at the end of the transaction in which it is first bought. */
function withinLaunch(logs: readonly NewLog[], token: Address, purchases: readonly NewLog[]): readonly NewLog[] {
  const isCreation = ({ topics = [], data = '0x' }: NewLog) =>
    topics[0] !== undefined && CREATIONS.includes(topics[0]) && [...topics, data].some(words => words.includes(token.slice(2)))
  const index = logs.findIndex(isCreation)
  const creation = logs[index]
  if (creation === undefined) throw new TypeError('the token is new')
  const { tx = 999 } = creation
  return [...logs.slice(0, index), ...ofOne([...purchases, creation], tx), ...logs.slice(index + 1)]
}
