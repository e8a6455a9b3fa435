import type { Logger } from 'pino'
import { type ChainCursor, moveCursor } from '#database/chainState.ts'
import { partRows } from '#database/freshRows.ts'
import { loadRows } from '#database/loadRows.ts'
import { attachMetadata } from '#database/metadata.ts'
import type { Queryable } from '#database/queryable.ts'
import { writeTotals } from '#database/totals.ts'
import { forgetUndoBefore, keepUndo, raiseRelaunched } from '#database/undo.ts'
import { writeChanges } from '#database/writeChanges.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog, IndexedBlock } from '#domain/block.ts'
import { balanceKey, creatorFeeKey, type RowKeys } from '#domain/changes.ts'
import { parseDecimal } from '#domain/decimal.ts'
import type { Decoded, Discovery, LaunchpadAdapter, Watched } from '#launchpads/adapter.ts'
import { decodeLogs } from '#launchpads/decodeLogs.ts'
import type { Directory } from '#launchpads/directory.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import { inSlices, type Steps } from './inSlices.ts'
import type { BlockBatch } from './ports.ts'
import { projection } from './project/project.ts'

/** A batch as events, ready to be applied. */
export interface DecodedBatch {
  readonly batch: BlockBatch
  readonly events: readonly TokenEvent[]
  /** What it announces; to be added to the directory once it is committed. */
  readonly discoveries: readonly Discovery[]
  lookup(address: Hex): Watched | undefined
}

export interface DecodeOptions {
  readonly directory: Pick<Directory, 'discoveries' | 'lookup'>
  readonly adapters: readonly LaunchpadAdapter[]
  readonly weth: Address
  readonly logger: Logger
}

/** Decodes a batch's logs. Changes nothing. */
export async function decodeBatch(batch: BlockBatch, { directory, adapters, weth, logger }: DecodeOptions): Promise<DecodedBatch> {
  const discoveries = directory.discoveries(batch.logs)
  const added = new Map(discoveries.map(discovery => [discovery.address, discovery]))
  const lookup = (address: Hex): Watched | undefined => directory.lookup(address) ?? added.get(address)?.watched
  // Block by block, what an address did before it was announced would not have been seen.
  const logs = batch.logs.filter(({ address, blockNumber }) => blockNumber >= (added.get(address)?.block ?? 0))
  const { events, malformed } = await inSlices(
    decoding({ logs, headers: batch.headers }, input => decodeLogs({ ...input, lookup, adapters, weth })),
  )
  const [first] = malformed
  if (first !== undefined) {
    const { blockNumber, txHash, logIndex, address } = first
    logger.warn(
      { count: malformed.length, first: { blockNumber, txHash, logIndex, address } },
      'passed over logs that do not fit their event',
    )
  }
  return { batch, events, discoveries, lookup }
}

const LOGS_PER_STEP = 100
const EVENTS_PER_STEP = 256

/** Decodes some blocks at a time: no event of one depends on another. */
function* decoding(
  { logs, headers }: Pick<BlockBatch, 'logs' | 'headers'>,
  decode: (input: Pick<BlockBatch, 'logs' | 'headers'>) => Decoded,
): Steps<{ readonly events: readonly TokenEvent[]; readonly malformed: readonly ChainLog[] }> {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  let header = 0
  for (let from = 0, to = 0; from < logs.length; from = to) {
    to = Math.min(from + LOGS_PER_STEP, logs.length)
    while (to < logs.length && logs[to]?.blockNumber === logs[to - 1]?.blockNumber) to++
    const firstHeader = header
    const last = logs[to - 1]?.blockNumber ?? 0
    while (header < headers.length && (headers[header]?.number ?? 0) <= last) header++
    const decoded = decode({ logs: logs.slice(from, to), headers: headers.slice(firstHeader, header) })
    for (const event of decoded.events) events.push(event)
    for (const log of decoded.malformed) malformed.push(log)
    yield
  }
  return { events, malformed }
}

export interface ApplyOptions {
  readonly weth: Address
  /** USD per ETH to store with the trades. */
  readonly ethUsd: string | null
  readonly committedAtMs: number
  /** Where the database stands before the batch. */
  readonly undoFrom: ChainCursor['undoFrom']
  readonly maxReorgDepth: number
}

export interface AppliedBatch {
  /** The tokens that it changed. */
  readonly tokens: readonly Address[]
  readonly undoFrom: ChainCursor['undoFrom']
}

/**
 * Projects and writes a batch, inside the caller's transaction. How to undo it is kept for a block that is followed, not for a range,
 * below which nothing can be undone then.
 */
export async function applyBatch(db: Queryable, decoded: DecodedBatch, options: ApplyOptions): Promise<AppliedBatch> {
  const { batch, events, lookup } = decoded
  const { weth, ethUsd, committedAtMs } = options
  const now = batch.to.timestamp
  const keys = await inSlices(keysOf(events))
  const rows = await loadRows(db, keys, { now, expired: batch.behind !== true })
  const price = ethUsd === null ? null : parseDecimal(ethUsd)
  const changes = await inSlices(projection({ events, rows, now, weth, ethUsd: price, lookup, blocks: remembered(batch) }))
  const parted = partRows(changes, rows)
  const undoFrom = undoFromAfter(batch, options)
  if (undoFrom !== null) await keepUndo(db, batch.to.number, changes, parted)
  await writeTotals(db, changes, rows.tokens, now)
  await writeChanges(db, changes, parted, committedAtMs)
  const launched = changes.tokens.map(({ address }) => address).filter(address => !rows.tokens.has(address))
  await raiseRelaunched(db, launched)
  await attachMetadata(db, launched)
  if (options.undoFrom !== null && undoFrom !== options.undoFrom) await forgetUndoBefore(db, undoFrom ?? batch.to.number)
  await moveCursor(db, batch.to, committedAtMs, undoFrom)
  return { tokens: changes.tokens.map(({ address }) => address), undoFrom }
}

/** A run is undone as one: there is an image of what was before it, and of nothing within it. */
function remembered({ to, blocks = [to] }: BlockBatch): readonly IndexedBlock[] {
  return blocks.map((block, index) => ({ ...block, joined: index < blocks.length - 1 }))
}

/** The oldest block that can be undone after this batch. */
function undoFromAfter({ live, from, to }: BlockBatch, { undoFrom, maxReorgDepth }: ApplyOptions): number | null {
  if (!live || maxReorgDepth === 0) return null
  return Math.max(undoFrom ?? from, to.number - maxReorgDepth + 1)
}

function* keysOf(events: readonly TokenEvent[]): Steps<RowKeys> {
  const tokens = new Set<Address>()
  const balances = new Map<string, RowKeys['balances'][number]>()
  const creatorFees = new Map<string, RowKeys['creatorFees'][number]>()
  for (const [index, event] of events.entries()) {
    if (index % EVENTS_PER_STEP === 0) yield
    const { token } = event
    tokens.add(token)
    if (event.kind === 'transfer') {
      for (const holder of [event.from, event.to]) balances.set(balanceKey(token, holder), { token, holder })
    } else if (event.kind === 'creatorFee') {
      const { launchpad, creator, currency, scope } = event
      const key = { launchpad, creator, currency, token: scope === 'token' ? token : ZERO_ADDRESS }
      creatorFees.set(creatorFeeKey(key), key)
    }
  }
  return { tokens: [...tokens], balances: [...balances.values()], creatorFees: [...creatorFees.values()] }
}
