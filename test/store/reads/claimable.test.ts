import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { ZERO_ADDRESS } from '#domain/address.ts'
import { readClaimable } from '#store/reads/claimable.ts'
import { toBytes } from '#tables/columns.ts'
import { useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows, poolRow, type Row, tokenRow } from '#test/support/rows.ts'

const { kysely, clear } = await useDatabase()
const WETH = addressOf(0x3e7)
const TOKEN = addressOf(1)
const CREATOR = addressOf(0xc0de)
const CALL = { to: addressOf(5), data: '0x1234' } as const

function feeRow(columns: Row): Row {
  return {
    launchpad: 'test',
    creator: CREATOR,
    currency: WETH,
    scope: 'token',
    token: TOKEN,
    accrued: '0',
    claimed: '0',
    last_changed_block: 1,
    ...columns,
  }
}

const read = (token = TOKEN, creator = CREATOR) =>
  readClaimable(kysely, { token, creator, weth: WETH, claimCall: () => CALL, vestedOf: () => null })

describe('what a creator can claim', () => {
  beforeEach(async () => {
    await clear()
    await insertRows(kysely, 'chain_state', [chainStateRow()])
    await insertRows(kysely, 'token', [tokenRow(1, { symbol: 'ALP', decimals: 9 }), tokenRow(2)])
  })

  test('names a quote currency as its contract does, where it is no indexed token', async () => {
    const currencies = [addressOf(77), addressOf(2)].map(address => ({ address, symbol: 'flETH', decimals: 6, is_read: true }))
    await insertRows(kysely, 'currency', currencies)
    await insertRows(kysely, 'creator_fee', [feeRow({ currency: addressOf(77) }), feeRow({ currency: addressOf(2) })])
    expect((await read())?.claimable).toMatchObject([
      { currency: addressOf(2), symbol: tokenRow(2)['symbol'], decimals: tokenRow(2)['decimals'] },
      { currency: addressOf(77), symbol: 'flETH', decimals: 6 },
    ])
  })

  test('is listed per currency and scope, with WETH first, then the token itself, then others', async () => {
    await insertRows(kysely, 'creator_fee', [
      feeRow({ accrued: '340282366920938463463374607431768211456', claimed: '1' }),
      feeRow({ currency: TOKEN, accrued: '7', claimed: '7' }),
      feeRow({ currency: ZERO_ADDRESS, scope: 'creator', token: ZERO_ADDRESS, accrued: '30', claimed: '10' }),
      feeRow({ currency: addressOf(77), accrued: '5' }),
    ])
    const answer = await read()
    expect(answer).toMatchObject({ token: TOKEN, creator: CREATOR, asOfBlock: '456' })
    expect(answer?.claimable).toEqual([
      {
        currency: WETH,
        symbol: 'WETH',
        decimals: 18,
        accrued: '340282366920938463463374607431768211456',
        claimed: '1',
        amount: '340282366920938463463374607431768211455',
        amountUsd: null,
        scope: 'token',
        claim: CALL,
      },
      {
        currency: TOKEN,
        symbol: 'ALP',
        decimals: 9,
        accrued: '7',
        claimed: '7',
        amount: '0',
        amountUsd: null,
        scope: 'token',
        claim: CALL,
      },
      {
        currency: addressOf(77),
        symbol: null,
        decimals: null,
        accrued: '5',
        claimed: '0',
        amount: '5',
        amountUsd: null,
        scope: 'token',
        claim: CALL,
      },
      {
        currency: ZERO_ADDRESS,
        symbol: 'ETH',
        decimals: 18,
        accrued: '30',
        claimed: '10',
        amount: '20',
        amountUsd: null,
        scope: 'creator',
        claim: CALL,
      },
    ])
  })

  test('leaves out other creators, other tokens and the escrows of other launchpads', async () => {
    await insertRows(kysely, 'creator_fee', [
      feeRow({ creator: addressOf(8), accrued: '1' }),
      feeRow({ token: addressOf(2), accrued: '2' }),
      feeRow({ launchpad: 'other', scope: 'creator', token: ZERO_ADDRESS, accrued: '3' }),
    ])
    expect((await read())?.claimable).toEqual([])
  })

  test('holds of an escrow ETH, WETH and the currencies of the token, no others', async () => {
    const escrow = { scope: 'creator', token: ZERO_ADDRESS, accrued: '1' }
    await insertRows(kysely, 'pool', [poolRow(1, 1, { quote_token: addressOf(66) })])
    await insertRows(
      kysely,
      'creator_fee',
      [TOKEN, addressOf(2), addressOf(66), ZERO_ADDRESS, WETH].map(currency => feeRow({ ...escrow, currency })),
    )
    expect((await read())?.claimable.map(({ currency }) => currency)).toEqual([WETH, ZERO_ADDRESS, TOKEN, addressOf(66)])
  })

  test('is not known where no event tells what was earned', async () => {
    await insertRows(kysely, 'creator_fee', [feeRow({ accrued: null, claimed: '5', claim_id: '77' })])
    expect((await read())?.claimable).toMatchObject([{ accrued: null, claimed: '5', amount: null, claim: CALL }])
  })

  test('is of a token that vests what has vested and was not claimed', async () => {
    await sql`update token set vesting_claimed = 30, vesting_ends_at = ${1_700_086_500} where address = ${toBytes(TOKEN)}`.execute(kysely)
    await insertRows(kysely, 'creator_fee', [
      feeRow({ currency: TOKEN, accrued: null, claimed: '30' }),
      feeRow({ accrued: null, claimed: '5' }),
    ])
    const asked: unknown[] = []
    for (const [vested, amount] of [
      [100n, '70'],
      [20n, '0'],
    ] as const) {
      const vestedOf = (vesting: unknown) => {
        asked.push(vesting)
        return vested
      }
      const answer = await readClaimable(kysely, { token: TOKEN, creator: CREATOR, weth: WETH, claimCall: () => CALL, vestedOf })
      expect(answer?.claimable).toMatchObject([
        { currency: WETH, amount: null },
        { currency: TOKEN, amount },
      ])
    }
    const vesting = { launchpad: 'test', createdAt: 1_700_000_000, endsAt: 1_700_086_500, at: 1_700_086_400 }
    expect(asked).toEqual([vesting, vesting])
  })

  test('is an empty list for who has earned nothing and nothing for a token that is not indexed', async () => {
    expect(await read(TOKEN, addressOf(9))).toEqual({ token: TOKEN, creator: addressOf(9), asOfBlock: '456', claimable: [] })
    expect(await read(addressOf(3))).toBeNull()
  })

  test('asks the launchpad for the call that pays each entry out', async () => {
    await insertRows(kysely, 'creator_fee', [feeRow({ accrued: '1' })])
    const asked: unknown[] = []
    const claimCall = (entry: unknown) => {
      asked.push(entry)
      return null
    }
    const answer = await readClaimable(kysely, { token: TOKEN, creator: CREATOR, weth: WETH, claimCall, vestedOf: () => null })
    expect(asked).toEqual([
      { launchpad: 'test', token: TOKEN, creator: CREATOR, currency: WETH, scope: 'token', amount: 1n, claimId: null },
    ])
    expect(answer?.claimable[0]?.claim).toBeNull()
  })
})
