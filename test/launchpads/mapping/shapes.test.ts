import { describe, expect, it } from 'vitest'
import type { Address } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { unknownsOf, withFound } from '#launchpads/decodeLogs.ts'
import type { EventMapping } from '#launchpads/mapping/schema.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import {
  decoded as decodedBy,
  FACTORY,
  HEADER,
  logOf,
  MONEY,
  mappedAdapter,
  OTHER,
  ROUTER,
  TOKEN,
  TX,
  WETH,
  WHO,
  type Word,
} from './mappedLaunchpad.ts'

// Events that name less than a token, a maker and a side: trades were refused, or had the price of the trade before.

const LAUNCH = {
  event: 'event Launch(address indexed token, address money)',
  emitter: 'factory',
  token: 'token',
  creator: 'sender',
  decimals: 18,
  quoteToken: 'money',
} as const
const DEAL = {
  event: 'event Deal(address token, uint256 moneyIn, uint256 moneyOut, uint256 coinsIn, uint256 coinsOut)',
  emitter: 'factory',
}
const BY_AMOUNTS = {
  ...DEAL,
  token: 'token',
  maker: 'sender',
  isBuy: 'coinsOut',
  tokenAmount: ['coinsIn', 'coinsOut'],
  quoteAmount: ['moneyIn', 'moneyOut'],
} as EventMapping
const BY_CURRENCIES = {
  event: 'event Swap(address user, address tokenIn, uint256 amountIn, address tokenOut, uint256 amountOut)',
  emitter: 'factory',
  maker: 'user',
  tokenIn: 'tokenIn',
  tokenOut: 'tokenOut',
  amountIn: 'amountIn',
  amountOut: 'amountOut',
} as EventMapping

describe('the side of a trade', () => {
  it('is told by which amount is zero', () => {
    const result = decoded(BY_AMOUNTS, [
      launch(TOKEN, MONEY),
      logOf(FACTORY, DEAL.event, TOKEN, 5n, 0n, 0n, 70n),
      logOf(FACTORY, DEAL.event, TOKEN, 0n, 4n, 60n, 0n),
    ])
    expect(tradesOf(result)).toMatchObject([
      { side: 'buy', amountToken: 70n, amountQuote: 5n },
      { side: 'sell', amountToken: 60n, amountQuote: 4n },
    ])
  })

  it('and the token are told by the currencies that go in and come out, also where both are tokens', () => {
    const swap = (...words: readonly Word[]) => logOf(FACTORY, BY_CURRENCIES.event, WHO, ...words)
    const result = decoded(BY_CURRENCIES, [
      launch(TOKEN, MONEY),
      launch(OTHER, TOKEN),
      swap(MONEY, 5n, TOKEN, 70n),
      swap(TOKEN, 60n, MONEY, 4n),
      swap(TOKEN, 6n, OTHER, 7n),
      swap(OTHER, 8n, TOKEN, 9n),
    ])
    expect(result.malformed).toEqual([])
    expect(tradesOf(result)).toMatchObject([
      { token: TOKEN, side: 'buy', amountToken: 70n, amountQuote: 5n, maker: WHO },
      { token: TOKEN, side: 'sell', amountToken: 60n, amountQuote: 4n },
      { token: OTHER, side: 'buy', amountToken: 7n, amountQuote: 6n },
      { token: OTHER, side: 'sell', amountToken: 8n, amountQuote: 9n },
    ])
  })

  it.each([
    ['of neither', MONEY, WETH],
    ['of one', TOKEN, TOKEN],
  ])('is not guessed for a swap %s of them', (_, into, out) => {
    const log = logOf(FACTORY, BY_CURRENCIES.event, WHO, into, 5n, out, 70n)
    const result = decoded(BY_CURRENCIES, [launch(TOKEN, MONEY), log])
    expect([tradesOf(result), result.malformed.length]).toEqual([[], 1])
  })
})

describe('the maker and the creator', () => {
  it("are the transaction's sender where the mapping says so", () => {
    const { events } = decoded(BY_AMOUNTS, [launch(TOKEN, MONEY), logOf(FACTORY, DEAL.event, TOKEN, 5n, 0n, 0n, 70n)])
    expect(unknownsOf(events).transactions).toEqual([{ txHash: TX, blockHash: HEADER.hash, txIndex: 0 }])
    const { events: known } = withFound(events, { senders: new Map([[TX, WHO]]), answers: new Map() })
    expect(known.find(({ kind }) => kind === 'launch')).toMatchObject({ creator: WHO })
    expect(tradesOf({ events: known })).toMatchObject([{ maker: WHO }])
  })

  it("are the account that the token's transfers lead to, without asking for a transaction", () => {
    const mapping = { ...BY_AMOUNTS, maker: 'transfers' } as EventMapping
    const bought = [transfer(FACTORY, ROUTER, 70n), transfer(ROUTER, WHO, 70n), logOf(FACTORY, DEAL.event, TOKEN, 5n, 0n, 0n, 70n)]
    const sold = [transfer(WHO, FACTORY, 60n), logOf(FACTORY, DEAL.event, TOKEN, 0n, 4n, 60n, 0n)]
    for (const logs of [bought, sold]) {
      const [trade] = tradesOf(decoded(mapping, [launch(TOKEN, MONEY), ...logs]))
      expect([trade?.maker, trade?.bySender]).toEqual([WHO, undefined])
    }
  })

  it("are the sender where the token's transfers lead nowhere", () => {
    const mapping = { ...BY_AMOUNTS, maker: 'transfers' } as EventMapping
    const { events } = decoded(mapping, [launch(TOKEN, MONEY), logOf(FACTORY, DEAL.event, TOKEN, 5n, 0n, 0n, 70n)])
    expect(tradesOf({ events })).toMatchObject([{ bySender: true }])
  })
})

const STATE = {
  event: 'event Now(address token, uint256 money, uint256 coins)',
  emitter: 'factory',
  token: 'token',
  virtualQuote: 'money',
  virtualToken: 'coins',
} as EventMapping

describe('the state of a curve', () => {
  const deal = logOf(FACTORY, DEAL.event, TOKEN, 5n, 0n, 0n, 70n)
  const now = (money: bigint) => logOf(FACTORY, STATE.event, TOKEN, money, 10n ** 18n)
  const order = (state: EventMapping, logs: readonly ChainLog[]) =>
    decoded(BY_AMOUNTS, [launch(TOKEN, MONEY), ...logs], state).events.flatMap<string | number>(event => {
      if (event.kind === 'trade') return 'trade'
      return event.kind === 'poolChanged' ? Number(event.price) / 1e42 : []
    })

  it('counts before its trade where it comes before or after it', () => {
    expect(order(STATE, [now(1n), deal, now(2n), deal])).toEqual([1, 'trade', 2, 'trade'])
    expect(order({ ...STATE, comes: 'afterTrade' }, [deal, now(1n), deal, now(2n)])).toEqual([1, 'trade', 2, 'trade'])
  })

  it('counts where it stands without a trade of its own', () => {
    expect(order({ ...STATE, comes: 'afterTrade' }, [now(0n), deal, now(1n), now(2n)])).toEqual([0, 1, 'trade', 2])
  })
})

it('a sum that no amount can be is refused', () => {
  const log = logOf(FACTORY, DEAL.event, TOKEN, 2n ** 255n, 2n ** 255n, 0n, 70n)
  expect(decoded(BY_AMOUNTS, [launch(TOKEN, MONEY), log]).malformed).toHaveLength(1)
})

function launch(token: Address, money: Address) {
  return logOf(FACTORY, LAUNCH.event, token, money)
}

function transfer(from: Address, to: Address, amount: bigint) {
  return logOf(TOKEN, 'event Transfer(address indexed from, address indexed to, uint256 amount)', from, to, amount)
}

function decoded(trade: EventMapping, logs: readonly ChainLog[], state?: EventMapping) {
  return decodedBy([mappedAdapter({ launch: LAUNCH, trade, ...(state !== undefined && { state }) })], logs)
}

function tradesOf({ events }: { readonly events: readonly TokenEvent[] }) {
  return events.filter(event => event.kind === 'trade')
}
