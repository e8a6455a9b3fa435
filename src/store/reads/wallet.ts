import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { formatAmount, parseDecimal } from '#domain/decimal.ts'
import type { Wallet } from '#resources/wallet.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { selectList } from '#store/rows/selectList.ts'
import type { StoredRow } from '#tables/tableOf.ts'
import { toBytes } from '#tables/toBytes.ts'
import { TRADER, type TraderRow } from '#tables/totals.ts'
import { readAsOf } from './asOf.ts'
import { MAX_HOLDINGS, valuedHoldings } from './holdings.ts'
import { secondsToIso } from './trimScale.ts'
import { wholeOf } from './valueBalance.ts'

type WalletRow = (StoredRow<TraderRow> | { readonly maker: null }) & {
  readonly held: number
  readonly heldValue: string | null
  readonly created: number
  readonly firstCreatedAt: number | null
  readonly lastCreatedAt: number | null
}

/** Reads any account. One row has the totals of its trades. Its holdings, up to a limit, and the tokens it created are counted here. */
export async function readWallet(db: Queryable, address: Address): Promise<Wallet> {
  const { rows, asOfBlock } = await readAsOf(
    db,
    sql<WalletRow>`
    select ${selectList(TRADER)}, held.tokens as held, held.value as "heldValue", created.tokens as created,
      created.first_at as "firstCreatedAt", created.last_at as "lastCreatedAt"
    from (select) as one
    left join trader on trader.maker = ${toBytes(address)}
    cross join (
      select count(*)::integer as tokens, sum(value)::text as value from (${valuedHoldings(address, MAX_HOLDINGS + 1)}) as valued
    ) as held
    cross join (
      select count(*)::integer as tokens, min(created_at) as first_at, max(created_at) as last_at from token
      where token.creator = ${toBytes(address)}
    ) as created`,
  )
  const [row] = rows
  if (row === undefined) throw new TypeError('the statement gives one row')
  const { held, heldValue, created, firstCreatedAt, lastCreatedAt } = row
  const traded = row.maker === null ? null : TRADER.decode(row)
  const { tokens = 0, tokensWithoutWei = 0, tokensWithoutUsd = 0 } = traded ?? {}
  const isCounted = held <= MAX_HOLDINGS
  const value = held === 0 ? '0' : heldValue === null ? null : formatAmount(parseDecimal(heldValue))
  const seen = [firstCreatedAt, lastCreatedAt, traded?.firstTradeAt, traded?.lastTradeAt].filter(time => typeof time === 'number')
  return {
    address,
    tokensHeld: isCounted ? held : null,
    valueWeth: isCounted ? value : null,
    valueUsd: null,
    trades: traded?.trades ?? 0,
    tokensTraded: tokens,
    volumeWeth: wholeOf(traded?.volumeWei ?? 0n),
    realizedWeth: tokens > 0 && tokens === tokensWithoutWei ? null : wholeOf(traded?.realizedWei ?? 0n),
    realizedUsd: tokens > 0 && tokens === tokensWithoutUsd ? null : wholeOf(traded?.realizedUsd ?? 0n),
    tokensWithoutWethProfit: tokensWithoutWei,
    tokensWithoutUsdProfit: tokensWithoutUsd,
    tokensCreated: created,
    firstSeenAt: seen.length === 0 ? null : secondsToIso(Math.min(...seen)),
    lastSeenAt: seen.length === 0 ? null : secondsToIso(Math.max(...seen)),
    asOfBlock,
  }
}
