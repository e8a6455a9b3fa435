import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { createRandom, type Random } from '#devchain/traders/random.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import { type NewLog, testAddress } from '#test/support/simulatedChain.ts'
import { FACTORY, LAUNCHPAD_TOPICS, WETH } from '#test/support/simulatedLaunchpad.ts'
import { topic, transferLog, V3_SWAP, words } from '#test/support/simulatedLogs.ts'

/** A token of the reference launchpad, with its reserves on the curve or in the pool. */
export interface MarketToken {
  readonly address: Address
  readonly curve: Address
  readonly pool: Address
  readonly creator: Address
  phase: 'curve' | 'pool'
  /** Virtual reserves of the curve, or the reserves of the pool. */
  wei: bigint
  tokens: bigint
  raisedWei: bigint
  trades: number
  readonly balances: Map<Address, bigint>
}

/** The logs of one transaction. */
export type Transaction = readonly NewLog[]

/** Makes the logs of a launchpad's market without a chain: equal calls in equal order give equal logs. */
export interface Market {
  readonly tokens: readonly MarketToken[]
  /** Launches the next token, with its creator's first buy. */
  launch(): Transaction
  /** A random buy or sale of a token. A buy that completes the curve also graduates the token. */
  trade(token: number): Transaction
  /** @returns what brings the market back to its present state */
  save(): () => void
}

const ETHER = 10n ** 18n
const SUPPLY = 10n ** 27n
const TARGET_WEI = 4n * ETHER
const START = { wei: 2n * ETHER, tokens: SUPPLY, raisedWei: 0n, trades: 0 }
const FEE_BPS = 100n
const BPS = 10_000n
const CREATORS = 40

export function createMarket({ seed, wallets }: { readonly seed: number; readonly wallets: number }): Market {
  let random = createRandom(seed)
  let tokens: MarketToken[] = []
  let saves = 0
  const walletOf = (index: number) => testAddress(0x400_0000 + index)
  const someWallet = () => walletOf(random.integer(0, wallets - 1))

  const launch = (): Transaction => {
    const index = tokens.length
    const [address, curve, pool] = [testAddress(0x100_0000 + index), testAddress(0x200_0000 + index), testAddress(0x300_0000 + index)]
    const creator = walletOf(random.integer(0, Math.min(CREATORS, wallets) - 1))
    const token: MarketToken = { address, curve, pool, creator, phase: 'curve', ...START, balances: new Map() }
    tokens.push(token)
    const bought = buy(token, creator, weiOf(random))
    return [transferLog(address, ZERO_ADDRESS, curve, SUPPLY), ...bought, launched(token, index)]
  }

  const trade = (index: number): Transaction => {
    const token = tokens[index]
    if (token === undefined) throw new RangeError(`no token ${index}`)
    if (random.chance(0.6) || token.balances.size === 0) return buy(token, someWallet(), weiOf(random))
    const seller = random.pick([...token.balances.keys()])
    const held = token.balances.get(seller) ?? 0n
    return sell(token, seller, random.chance(0.4) || held < 2n ? held : held / 2n)
  }

  return {
    get tokens() {
      return tokens
    },
    launch,
    trade,
    save: () => {
      const saved = structuredClone(tokens)
      // The draws that follow depend on this moment only.
      const next = seed + ++saves
      random = createRandom(next)
      return () => {
        tokens = structuredClone(saved)
        random = createRandom(next)
      }
    },
  }
}

function weiOf(random: Random): bigint {
  return BigInt(Math.floor(random.spread(0.001, 0.15) * 1e9)) * 10n ** 9n
}

/** The launchpad emits this last, after the mint and the first buy. */
function launched({ address, creator, curve }: MarketToken, index: number): NewLog {
  const data = encodeAbiParameters(parseAbiParameters('string, string, string, uint256, uint256, uint256, uint256, uint16, uint16'), [
    `Token ${index}`,
    `TK${index}`,
    `ipfs://token-${index}`,
    SUPPLY,
    START.wei,
    START.tokens,
    TARGET_WEI,
    Number(FEE_BPS),
    5_000,
  ])
  return { address: FACTORY, topics: [LAUNCHPAD_TOPICS.launched, topic(address), topic(creator), topic(curve)], data }
}

function buy(token: MarketToken, buyer: Address, paidWei: bigint): NewLog[] {
  const fee = (paidWei * FEE_BPS) / BPS
  const net = paidWei - fee
  const out = (token.tokens * net) / (token.wei + net)
  token.wei += net
  token.tokens -= out
  token.trades++
  token.balances.set(buyer, (token.balances.get(buyer) ?? 0n) + out)
  if (token.phase === 'pool') return [transferLog(token.address, token.pool, buyer, out), swap(token, buyer, paidWei, -out)]
  token.raisedWei += net
  const bought: NewLog = {
    address: token.curve,
    topics: [LAUNCHPAD_TOPICS.bought, topic(buyer), topic(buyer)],
    data: words(paidWei, fee, out, ...curveAfter(token)),
  }
  const logs = [transferLog(token.address, token.curve, buyer, out), accrued(token, fee), bought]
  return token.raisedWei < TARGET_WEI ? logs : [...logs, ...graduate(token)]
}

function sell(token: MarketToken, seller: Address, amount: bigint): NewLog[] {
  const gross = (token.wei * amount) / (token.tokens + amount)
  const fee = (gross * FEE_BPS) / BPS
  token.wei -= gross
  token.tokens += amount
  token.trades++
  const left = (token.balances.get(seller) ?? 0n) - amount
  if (left === 0n) token.balances.delete(seller)
  else token.balances.set(seller, left)
  if (token.phase === 'pool') return [transferLog(token.address, seller, token.pool, amount), swap(token, seller, fee - gross, amount)]
  token.raisedWei -= gross
  const sold: NewLog = {
    address: token.curve,
    topics: [LAUNCHPAD_TOPICS.sold, topic(seller), topic(seller)],
    data: words(amount, gross - fee, fee, ...curveAfter(token)),
  }
  return [transferLog(token.address, seller, token.curve, amount), accrued(token, fee), sold]
}

function curveAfter({ wei, tokens, raisedWei }: MarketToken): readonly bigint[] {
  return [wei, tokens, raisedWei, tokens]
}

function accrued({ address, creator }: MarketToken, fee: bigint): NewLog {
  return { address: FACTORY, topics: [LAUNCHPAD_TOPICS.accrued, topic(address), topic(creator), topic(WETH)], data: words(fee / 2n) }
}

/** The raised ether and the curve's tokens become the pool, at the curve's last price. */
function graduate(token: MarketToken): NewLog[] {
  const raised = token.raisedWei
  token.phase = 'pool'
  token.tokens = (raised * token.tokens) / token.wei
  token.wei = raised
  const { address, curve, pool, tokens } = token
  const range = [words(-887_200n), words(887_200n)]
  return [
    { address: curve, topics: [LAUNCHPAD_TOPICS.completed], data: words(raised) },
    { address: pool, topics: [LAUNCHPAD_TOPICS.initialize], data: words(sqrtPrice(token), tick(token)) },
    transferLog(address, curve, pool, tokens),
    {
      address: pool,
      topics: [LAUNCHPAD_TOPICS.mint, topic(FACTORY), ...range],
      data: words(BigInt(FACTORY), liquidity(token), raised, tokens),
    },
    { address: FACTORY, topics: [LAUNCHPAD_TOPICS.graduated, topic(address), topic(pool)], data: words(1n, raised, tokens) },
  ]
}

/** WETH is `token0`: its address is less than every token's. Amounts that leave the pool are negative. */
function swap(token: MarketToken, trader: Address, wei: bigint, tokens: bigint): NewLog {
  const data: Hex = words(wei, tokens, sqrtPrice(token), liquidity(token), tick(token))
  return { address: token.pool, topics: [V3_SWAP, topic(trader), topic(trader)], data }
}

function sqrtPrice({ wei, tokens }: MarketToken): bigint {
  return BigInt(Math.floor(Math.sqrt(Number(tokens) / Number(wei)) * 2 ** 48)) << 48n
}

function tick({ wei, tokens }: MarketToken): bigint {
  return BigInt(Math.floor(Math.log(Number(tokens) / Number(wei)) / Math.log(1.0001)))
}

function liquidity({ wei, tokens }: MarketToken): bigint {
  return BigInt(Math.floor(Math.sqrt(Number(wei) * Number(tokens))))
}
