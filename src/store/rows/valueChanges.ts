import { sql } from 'kysely'
import type { BatchBlocks, BlockHeader } from '#domain/block.ts'
import { type Decimal, multiply, parseDecimal, units } from '#domain/decimal.ts'
import { CROSSED_VALUES, type CrossedValue } from '#resources/channelEvent.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { FINAL_BLOCK } from '#store/reads/page.ts'
import type { Changes, CurrentRows } from '#tables/changes.ts'
import type { TokenRow } from '#tables/token.ts'
import type { ValueChangeRow } from '#tables/valueChange.ts'

/** How long changes are kept: a day longer than a failing webhook is retried. */
export const KEPT_SECONDS = 4 * 86_400

/** A commit waits for one call, which takes some 20 ms for this many rows. */
const ROWS_AT_ONCE = 5_000

/**
 * What each block of a batch made of its tokens' values. A range of blocks that are older than what is kept counts as one, since readers
 * from before it get a `gap` soon.
 */
export function valueChangesOf(
  { mode, to }: Pick<BatchBlocks, 'mode' | 'to'>,
  { tokens, tokensBefore }: Pick<Changes, 'tokens' | 'tokensBefore'>,
  before: CurrentRows['tokens'],
  committedAtMs: number,
): readonly ValueChangeRow[] {
  const isOld = mode === 'range' && to.timestamp < committedAtMs / 1_000 - KEPT_SECONDS
  return changesBetween(tokens, isOld ? new Map() : tokensBefore, before, to)
}

type Values = Pick<ValueChangeRow, CrossedValue>

/** A row for each token and block that changed one of its values. What no block's event changed is of the last block. */
function changesBetween(
  tokens: Changes['tokens'],
  tokensBefore: Changes['tokensBefore'],
  before: CurrentRows['tokens'],
  to: BlockHeader,
): readonly ValueChangeRow[] {
  const rows: ValueChangeRow[] = []
  const counts = new Map<number, number>()
  for (const token of tokens) {
    const earlier = before.get(token.address)
    let was = earlier === undefined ? null : valuesOf(earlier)
    const blocks = tokensBefore.get(token.address) ?? [{ blockNumber: to.number, timestamp: to.timestamp, row: null }]
    for (const [at, { blockNumber, timestamp }] of blocks.entries()) {
      const is = valuesOf(blocks[at + 1]?.row ?? token)
      if (was === null || CROSSED_VALUES.some(name => was?.[name] !== is[name])) {
        const logIndex = counts.get(blockNumber) ?? 0
        counts.set(blockNumber, logIndex + 1)
        rows.push({ blockNumber, logIndex, token: token.address, timestamp, ...is, ...beforeOf(was) })
      }
      was = is
    }
  }
  return rows
}

type Before = { readonly [Name in CrossedValue as `${Name}Before`]: Values[Name] | null }

function beforeOf(was: Values | null): Before {
  return Object.fromEntries(CROSSED_VALUES.map(name => [`${name}Before`, was?.[name] ?? null])) as unknown as Before
}

/** The market cap in WETH of a row is only up to date after its batch. */
function valuesOf({ priceWeth, closeUsd, totalSupply, decimals, graduationPercent, holderCount }: TokenRow): Values {
  const supply = units(totalSupply, decimals)
  return {
    priceWeth,
    priceUsd: closeUsd,
    marketCapWeth: priceWeth === null ? null : multiply(priceWeth, supply),
    marketCapUsd: closeUsd === null ? null : multiply(closeUsd, supply),
    graduationPercent: percentAsDecimal(graduationPercent),
    holders: holderCount,
  }
}

/** A stored percentage has four decimals. */
function percentAsDecimal(percent: number | null): Decimal | null {
  return percent === null ? null : parseDecimal(percent.toFixed(4))
}

/**
 * Drops changes that are older than `KEPT_SECONDS`, in as many calls as it takes, and stores from which block on they are complete
 * (`chain_state.value_changes_from`). Ages are counted from the newest final block. To be called in the writer's transactions.
 *
 * @returns whether there may be more to drop
 */
export async function dropValueChanges(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{ readonly last: number | null; readonly dropped: number }>`
    with final as materialized (select timestamp from block where number = ${FINAL_BLOCK}),
      oldest as materialized (
        select block_number, log_index, timestamp from value_change
        where block_number >= (select coalesce(value_changes_from, 1) - 1 from chain_state) order by block_number, log_index limit ${ROWS_AT_ONCE}
      ),
      gone as (
        delete from value_change using oldest, final where oldest.timestamp < final.timestamp - ${KEPT_SECONDS}::bigint
          and value_change.block_number = oldest.block_number and value_change.log_index = oldest.log_index
        returning value_change.block_number
      )
    select max(block_number) as last, count(*)::integer as dropped from gone`.execute(db)
  const { last = null, dropped = 0 } = rows[0] ?? {}
  if (last === null) return false
  // The block counts as dropped, even if the next call has to drop the rest of it.
  await sql`update chain_state set value_changes_from = ${last + 1}`.execute(db)
  return dropped === ROWS_AT_ONCE
}
