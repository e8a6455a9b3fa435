import type { Logger } from 'pino'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { parseDecimal } from '#domain/decimal.ts'
import { TRADE_SIDES } from '#domain/trade.ts'
import { type DecodeInput, decode } from '#index/decode.ts'
import { project } from '#index/project/project.ts'
import type { Valuation } from '#index/project/values.ts'
import type { IndexedSource } from '#launchpads/logSource.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { loadRows } from '#store/rows/loadRows.ts'
import { splitNewRows } from '#store/rows/splitNewRows.ts'
import type { AnnouncedContractRow } from '#tables/announcedContract.ts'
import type { RowKeys } from '#tables/changes.ts'
import type { DecodedBatch, FetchedBatch, ProjectedBatch } from './batch.ts'
import { NO_REVALUATION, nextRevaluation } from './revaluation.ts'

/** Decodes a batch's logs. Changes nothing. */
export function decodeBatch(
  batch: FetchedBatch,
  options: Omit<DecodeInput, 'logs' | 'headers' | 'announced'> & Partial<Pick<DecodeInput, 'announced'>> & { readonly logger: Logger },
): DecodedBatch {
  const { logs, headers, announced: _, ...blocks } = batch
  const decoded = decode({ announced: [], ...options, logs, headers })
  const [first] = decoded.malformed
  if (first !== undefined) {
    const { blockNumber, txHash, logIndex, address } = first
    const details = { count: decoded.malformed.length, first: { blockNumber, txHash, logIndex, address } }
    options.logger.warn(details, 'skipped logs that do not fit their event')
  }
  return { ...blocks, ...decoded, stage: 'decoded', logCount: logs.length }
}

export interface ProjectOptions extends Omit<Valuation, 'ethUsd'> {
  /** The first block that is indexed: a batch that begins with it follows nothing. */
  readonly startBlock: number
  /** USD per ETH now, stored with the trades of batches near the head; `null`: not known. */
  ethUsd(): string | null
  /** How many tokens a block near the head may value anew. */
  readonly revaluedPerBlock: number
  /** The batch before it, whose changes count as made though they may not be committed; `null`: everything before is committed. */
  readonly previous: ProjectedBatch | null
}

/** Computes what a batch changes, from the current rows. Changes nothing. */
export async function projectBatch(db: Queryable, batch: DecodedBatch, options: ProjectOptions): Promise<ProjectedBatch> {
  const { events, directory, malformed: _, stage: __, ...blocks } = batch
  const { startBlock, weth, quotePools, etherWrappers, pegs, previous } = options
  const { mode, first, to } = batch
  const ethUsd = mode === 'range' ? null : options.ethUsd()
  const valuation = { weth, quotePools, etherWrappers, pegs, ethUsd: ethUsd === null ? null : parseDecimal(ethUsd) }
  const revaluation = mode === 'live' ? await nextRevaluation(db, valuation, options.revaluedPerBlock) : NO_REVALUATION
  const keys = keysOf(events, revaluation.tokens)
  const rows = await loadRows(db, keys, { now: to.timestamp, expired: mode === 'live', pending: previous, weth })
  const changes = project({ ...valuation, events, rows, now: to.timestamp, outdated: revaluation.tokens, directory })
  const follows = batch.from === startBlock ? null : (previous?.to ?? { hash: first.parentHash }).hash
  const contracts = batch.discoveries.flatMap(announcedContract)
  const split = splitNewRows(changes, rows)
  return { ...blocks, stage: 'projected', follows, before: rows, changes, split, contracts, revaluedTo: revaluation.reached }
}

/** What the passing of time up to a block changes: trades leave windows. Of no block, so there is nothing to remember. */
export async function projectTime(db: Queryable, at: BlockHeader, valuation: Omit<Valuation, 'ethUsd'>) {
  const { weth, quotePools, etherWrappers, pegs } = valuation
  const rows = await loadRows(db, NO_KEYS, { now: at.timestamp, expired: true, pending: null, weth })
  const nothing = { events: [], ethUsd: null, directory: { lookup: () => undefined } }
  const changes = project({ ...nothing, rows, now: at.timestamp, weth, quotePools, etherWrappers, pegs })
  const blocks = { mode: 'live', from: at.number, first: at, to: at, blocks: [] } as const
  return { ...blocks, before: rows, changes, split: splitNewRows(changes, rows), contracts: [], revaluedTo: null }
}

/** The row of a contract that a launch names. Tokens, pools and positions have rows of their own. */
function announcedContract({ key, source, block }: IndexedSource): readonly AnnouncedContractRow[] {
  const { role, launchpad } = source
  return role === 'contract' || role === 'module' ? [{ address: key as Address, launchpad, role, createdBlock: block }] : []
}

const NO_KEYS: RowKeys = { tokens: [], currencies: [], balances: [], creatorFees: [], makers: [] }

function keysOf(events: readonly TokenEvent[], outdated: readonly Address[]): RowKeys {
  const tokens = new Set<Address>(outdated)
  const currencies = new Set<Address>()
  const holders = new Map<Address, Set<Address>>()
  const creatorFees = new Map<string, RowKeys['creatorFees'][number]>()
  const makers = { buy: new Map<Address, Set<Address>>(), sell: new Map<Address, Set<Address>>() }
  for (const event of events) {
    const { token } = event
    tokens.add(token)
    if (event.kind === 'poolCreated') currencies.add(event.pool.quoteToken)
    if (event.kind === 'transfer') {
      setOf(holders, token).add(event.from).add(event.to)
    } else if (event.kind === 'trade') {
      setOf(holders, token).add(event.maker)
      setOf(makers[event.side], token).add(event.maker)
    } else if (event.kind === 'creatorFee') {
      const { launchpad, creator, currency, scope } = event
      const key = { launchpad, creator, currency, token: scope === 'token' ? token : ZERO_ADDRESS }
      creatorFees.set(creatorFeeKey(key), key)
    }
  }
  return {
    tokens: [...tokens],
    currencies: [...currencies],
    balances: [...holders].flatMap(([token, ofToken]) => [...ofToken].map(holder => ({ token, holder }))),
    creatorFees: [...creatorFees.values()],
    makers: TRADE_SIDES.flatMap(side =>
      [...makers[side]].flatMap(([token, ofToken]) => [...ofToken].map(maker => ({ token, side, maker }))),
    ),
  }
}

function setOf<Key, Value>(sets: Map<Key, Set<Value>>, key: Key): Set<Value> {
  let values = sets.get(key)
  if (values === undefined) sets.set(key, (values = new Set()))
  return values
}
