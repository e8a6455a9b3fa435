import fc from 'fast-check'
import type { Holder } from '#resources/holders.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { addressOf, recentOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'

export const FREE_TEXTS = ['description', 'metadataUri', 'imageUrl', 'name', 'symbol'] as const

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7', '8', '9'), minLength: length, maxLength: length })
const amount = fc.oneof(
  fc.nat({ max: 99 }).map(String),
  digits(77).map(text => `7${text}`),
)
const price = fc.oneof(
  fc.constant('0.5'),
  digits(98).map(text => `0.${text}1`),
)
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

const hostileUnit = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', '"', '\\', '\0', '\n', '\u001f', '\u007f', '\u202e', '\u2028', 'é', '漢', '😀', '👩‍👩‍👧') },
  { weight: 1, arbitrary: fc.constantFrom('\ud800', '\udc00') },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
)

const hostileText = fc.oneof(
  fc.string({ unit: hostileUnit, maxLength: 60 }),
  fc
    .tuple(fc.array(hostileUnit, { minLength: 1, maxLength: 4 }), fc.constantFrom(100, 1_000, 4_000, 9_000))
    .map(([units, times]) => units.join('').repeat(times)),
)

const hostileToken = fc
  .record({
    texts: fc.tuple(...FREE_TEXTS.map(() => nullable(hostileText))),
    links: fc.array(
      fc.webUrl().map(url => ({ kind: 'other' as const, url })),
      { maxLength: 8 },
    ),
    totalSupply: amount,
    priceWeth: nullable(price),
    marketCapUsd: nullable(price),
    volume: nullable(price),
    tick: nullable(fc.integer()),
    sequence: fc.maxSafeInteger().map(Math.abs),
    asOfBlock: amount.filter(text => !/^0\d/.test(text)),
    percent: nullable(fc.double({ min: 0, max: 100, noNaN: true })),
  })
  .map(({ texts, ...facts }) => {
    const base = tokenOf(addressOf(1), facts.sequence)
    const [description = null, metadataUri = null, imageUrl = null, name = null, symbol = null] = texts
    return tokenOf(addressOf(1), facts.sequence, {
      description,
      links: facts.links,
      metadataUri,
      imageUrl,
      name,
      symbol,
      totalSupply: facts.totalSupply,
      asOfBlock: facts.asOfBlock,
      market: {
        ...base.market,
        priceWeth: facts.priceWeth,
        marketCapUsd: facts.marketCapUsd,
        volumeWeth: { m5: facts.volume, h1: facts.volume, h6: facts.volume, h24: facts.volume },
      },
      pool: base.pool === null ? null : { ...base.pool, tick: facts.tick, reserveToken: facts.totalSupply, liquidity: facts.totalSupply },
      graduation: { ...base.graduation, percent: facts.percent, raisedWeth: facts.priceWeth },
    })
  })

const holders = fc.array(amount, { maxLength: 24 }).map(balances =>
  balances.map(
    (balance, index): Holder => ({
      rank: index + 1,
      address: addressOf(0x2000 + index),
      balance,
      percent: 4.1666,
      type: 'contract',
      lastChangedBlock: '456',
      classes: ['creator', 'sniper', 'bundler', 'insider'],
    }),
  ),
)

/** Snapshots with every kind of text that a creator may write, and numbers at their longest. */
export const hostileSnapshot = fc.record({ token: hostileToken, holders, traded: fc.boolean() }).map(
  ({ token, holders: list, traded }): TokenSnapshot => ({
    token,
    holders: list,
    recent: recentOf(traded ? [tradeOf(addressOf(1))] : []),
  }),
)
