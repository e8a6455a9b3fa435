import { type RawBuilder, sql } from 'kysely'
import { parseDecimal } from '#domain/decimal.ts'
import { endOfBlock, FIRST_PLACE, LAST_LOG_INDEX } from '#domain/eventPlace.ts'
import {
  type ChannelEvent,
  type ChannelEvents,
  type ChannelEventsQuery,
  CROSSED_VALUES,
  type CrossedValue,
  type EventChannelName,
  MAX_REPLAYED,
  type ValueChange,
  type ValueMove,
} from '#resources/channelEvent.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { lookUpIfAny, type Prefixed, selectList } from '#store/rows/insertRows.ts'
import type { StoredRow } from '#tables/columns.ts'
import type { FullTokenRow } from '#tables/token.ts'
import { VALUE_CHANGE, type ValueChangeRow } from '#tables/valueChange.ts'
import { secondsToIso } from './page.ts'
import { MAIN_POOL, SELECTED_TOKEN, type SelectedToken, toToken } from './toToken.ts'
import { SELECTED_TRADE, type SelectedTrade, toTrade } from './toTrade.ts'

type ShownOfToken = Pick<FullTokenRow, 'address' | 'symbol' | 'name' | 'decimals' | 'imageUrl' | 'launchpad' | 'creator'>

type SelectedChange = Prefixed<'change', StoredRow<ValueChangeRow>> & ShownOfToken

/** The select list of value changes, whose alias is `event`, and of their tokens. */
const SELECTED_CHANGE = sql`${selectList(VALUE_CHANGE, 'event', 'change')}, token.address, token.symbol, token.name, token.decimals,
  token.image_url as "imageUrl", token.launchpad, token.creator`

function toValueChange(row: SelectedChange): ValueChange {
  const { address, symbol, name, decimals, imageUrl, launchpad } = row
  return {
    token: { address, symbol, name, decimals, imageUrl, launchpad },
    timestamp: secondsToIso(row['change.timestamp']),
    values: Object.fromEntries(CROSSED_VALUES.map(name => [name, moveOf(row, name)])) as Record<CrossedValue, ValueMove>,
  }
}

function moveOf(row: SelectedChange, name: CrossedValue): ValueMove {
  return { before: decimalOf(row[`change.${name}Before`]), after: decimalOf(row[`change.${name}`]) }
}

function decimalOf(stored: string | number | null) {
  return stored === null ? null : parseDecimal(String(stored))
}

interface StateRow {
  readonly reorgs: number
  readonly voidFrom: number | null
  readonly indexedBlock: number | null
  readonly isTooFar: boolean | null
  readonly eventBlock: number | null
  readonly eventLog: number
  readonly voids: number | null
}

type TradeEventRow = StateRow & SelectedTrade & { readonly launchpad: string }
type ChangeRow = StateRow & SelectedChange
type MilestoneRow = StateRow & SelectedToken & { readonly status: ChannelEvent['status'] }

/** A table of events with a key of (block number, log index), and how an event is read from it. */
interface Source {
  readonly table: RawBuilder<unknown>
  readonly selected: RawBuilder<unknown>
  readonly joined: RawBuilder<unknown>
  /** SQL of the last block whose events are no longer kept. Default: all events are kept. */
  readonly keptAfter?: RawBuilder<unknown>
  toEvent(row: never, chainId: number): Omit<ChannelEvent, 'place'>
}

const milestones = (kind: 'launch' | 'graduation'): Source => ({
  table: sql`(select * from milestone where kind = ${sql.lit(kind)}) as entry`,
  selected: sql`event.status, ${SELECTED_TOKEN}`,
  joined: sql`${lookUpIfAny('token', sql`token.address = event.token`)} ${MAIN_POOL}`,
  toEvent: ({ status, ...row }: MilestoneRow, chainId) => {
    const token = toToken(row, chainId)
    const { address, creator, launchpad } = token
    return { token: address, wallet: creator, launchpad, side: null, amountWei: null, status, data: token }
  },
})

const SOURCES: Readonly<Record<EventChannelName, Source>> = {
  trades: {
    table: sql`trade as entry`,
    selected: sql`token.launchpad, ${SELECTED_TRADE}`,
    joined: sql`${lookUpIfAny('trade', sql`trade.block_number = event.block_number and trade.log_index = event.log_index`)}
      ${lookUpIfAny('token', sql`token.address = trade.token`)}`,
    toEvent: (row: TradeEventRow) => {
      const trade = toTrade(row)
      const amountWei = row['trade.amountWei'] === null ? null : BigInt(row['trade.amountWei'])
      return { token: trade.token, wallet: trade.maker, launchpad: row.launchpad, side: trade.side, amountWei, status: null, data: trade }
    },
  },
  launches: milestones('launch'),
  graduations: milestones('graduation'),
  crossings: {
    table: sql`value_change as entry`,
    selected: SELECTED_CHANGE,
    joined: lookUpIfAny('token', sql`token.address = event.token`),
    toEvent: (row: ChangeRow) => {
      const { address: token, creator: wallet, launchpad } = row
      return { token, wallet, launchpad, side: null, amountWei: null, status: null, data: toValueChange(row) }
    },
    keptAfter: sql`(select value_changes_from - 1 from chain_state)`,
  },
}

/**
 * The events of a channel since a position, read in one statement: a reorg that commits meanwhile is seen together with the blocks of the
 * new branch, or not at all. Costs a look-up per event, and an index entry for each of up to `MAX_REPLAYED` events that are not returned.
 */
export async function readChannelEvents(db: Queryable, query: ChannelEventsQuery, chainId: number): Promise<ChannelEvents> {
  const { after, through, limit } = query
  const { table, selected, joined, keptAfter = sql`null::bigint`, toEvent } = SOURCES[query.channel]
  const place = after?.place ?? FIRST_PLACE
  const upTo =
    through === null
      ? sql``
      : sql`and (entry.block_number, entry.log_index) <= (${through.blockNumber}::bigint, ${through.logIndex}::bigint)`
  const { isComplete = false } = query
  const most = sql.lit(after === null ? 0 : limit)
  const taken = isComplete
    ? sql`order by entry.block_number fetch first ${most} rows with ties`
    : sql`order by entry.block_number, entry.log_index limit ${most}`
  const voids = isComplete ? sql`(select count(*) from reorg where from_block <= event.block_number)` : sql`null::bigint`
  const wanted = sql`(entry.block_number, entry.log_index) > (start.block, start.log) ${upTo}`
  const { rows } = await sql<StateRow>`
    with state as materialized (
      select coalesce((select max(number) from reorg), 0) as reorgs,
        (select min(from_block) from reorg where number > ${after?.reorgs ?? Number.MAX_SAFE_INTEGER}::bigint) as void_from
    ),
    start as materialized (
      select state.*, case when void_from <= ${place.blockNumber}::bigint then void_from else ${place.blockNumber}::bigint end as block,
        case when void_from <= ${place.blockNumber}::bigint then -1 else ${place.logIndex}::bigint end as log
      from state
    )
    select start.reorgs, start.void_from as "voidFrom", (select cursor_number from chain_state) as "indexedBlock",
      far.found as "isTooFar", event.block_number as "eventBlock", event.log_index as "eventLog", ${voids} as voids, ${selected}
    from start
    left join lateral (
      select true as found from ${table} where ${sql.lit(!isComplete)} and ${wanted} order by entry.block_number, entry.log_index offset ${MAX_REPLAYED} limit 1
    ) as beyond on true
    cross join lateral (select beyond.found or (start.block, start.log) < (${keptAfter}, ${LAST_LOG_INDEX}::bigint) as found) as far
    left join lateral (
      select entry.* from ${table} where far.found is not true and ${wanted} ${taken}
    ) as event on true
    ${joined}
    order by event.block_number, event.log_index`.execute(db)
  const [state] = rows
  if (state === undefined) throw new TypeError('the statement returns a row')
  const { reorgs, voidFrom, indexedBlock } = state
  return {
    reorgs,
    voidFrom,
    newest: indexedBlock === null ? FIRST_PLACE : endOfBlock(indexedBlock),
    isTooFar: after !== null && state.isTooFar === true,
    events: rows.flatMap(row =>
      row.eventBlock === null
        ? []
        : [
            {
              place: { blockNumber: row.eventBlock, logIndex: row.eventLog },
              ...(row.voids !== null && { voids: row.voids }),
              ...toEvent(row as never, chainId),
            },
          ],
    ),
  }
}
