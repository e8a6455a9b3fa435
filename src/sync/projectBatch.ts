import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { IndexedBlock } from '#domain/block.ts'
import { creatorFeeKey, type RowKeys } from '#domain/changes.ts'
import { parseDecimal } from '#domain/decimal.ts'
import type { DecodedBatch } from '#index/decode.ts'
import { project } from '#index/project/project.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { loadRows } from '#store/rows/loadRows.ts'
import { splitNewRows } from '#store/rows/splitNewRows.ts'
import type { ProjectedBatch } from './ports.ts'

export interface ProjectOptions {
  readonly weth: Address
  /** USD per ETH to store with the trades. */
  readonly ethUsd: string | null
  /** The batch before this one, which the database may hold or not: its changes count as made. Default: what is before it is there. */
  readonly previous?: ProjectedBatch | null
}

/** Works out what a batch changes, from the rows as they are. Changes nothing. */
export async function projectBatch(
  db: Queryable,
  { events, directory, ...batch }: DecodedBatch,
  { weth, ethUsd, previous = null }: ProjectOptions,
): Promise<ProjectedBatch> {
  const now = batch.to.timestamp
  const keys = keysOf(events)
  const rows = await loadRows(db, keys, { now, expired: batch.behind !== true, pending: previous })
  const price = ethUsd === null ? null : parseDecimal(ethUsd)
  const changes = project({ events, rows, now, weth, ethUsd: price, directory, blocks: remembered(batch) })
  return { ...batch, before: rows.tokens, changes, split: splitNewRows(changes, rows), after: previous?.to.hash ?? null }
}

/** A run is undone as one: there is an image of what was before it, and of nothing within it. */
function remembered({ to, blocks = [to] }: Pick<DecodedBatch, 'to' | 'blocks'>): readonly IndexedBlock[] {
  return blocks.map((block, index) => ({ ...block, joined: index < blocks.length - 1 }))
}

function keysOf(events: readonly TokenEvent[]): RowKeys {
  const tokens = new Set<Address>()
  const holders = new Map<Address, Set<Address>>()
  const creatorFees = new Map<string, RowKeys['creatorFees'][number]>()
  for (const event of events) {
    const { token } = event
    tokens.add(token)
    if (event.kind === 'transfer') {
      let ofToken = holders.get(token)
      if (ofToken === undefined) holders.set(token, (ofToken = new Set()))
      ofToken.add(event.from).add(event.to)
    } else if (event.kind === 'creatorFee') {
      const { launchpad, creator, currency, scope } = event
      const key = { launchpad, creator, currency, token: scope === 'token' ? token : ZERO_ADDRESS }
      creatorFees.set(creatorFeeKey(key), key)
    }
  }
  const balances = [...holders].flatMap(([token, ofToken]) => [...ofToken].map(holder => ({ token, holder })))
  return { tokens: [...tokens], balances, creatorFees: [...creatorFees.values()] }
}
