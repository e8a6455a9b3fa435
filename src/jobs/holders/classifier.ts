import type { Logger } from 'pino'
import { type Observable, Subject } from 'rxjs'
import { coalesce } from '#async/coalesce.ts'
import { isLogged } from '#async/logSampling.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import type { Rpc } from '#rpc/rpc.ts'
import type { Transaction } from '#store/connection/oneAtATime.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lockCursor, readClockMs } from '#store/rows/cursor.ts'
import {
  type HolderCode,
  type PlainHolder,
  readPlainHolders,
  readTokensAfter,
  showContracts,
  writeHolderCodes,
} from '#store/rows/holderCodes.ts'
import { askCodes, MOST_ASKED } from './askCodes.ts'

export interface ClassifierOptions {
  readonly rpc: Pick<Rpc, 'ask'>
  /** For reading. */
  readonly db: Queryable
  /** The one of the indexer, in turn with its commits. */
  readonly transaction: Transaction
  /** The name under which the database was claimed. */
  readonly writer: string
  /** Whether indexing is far behind: nothing is asked then, as every range brings other holders. */
  isBehind(): boolean
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly logger: Logger
}

/**
 * Finds out which of the largest holders are contracts: those of tokens that changed, and once after a start those of all. It works beside the
 * indexing, with one question per block at most, and what fails is tried again after the next block.
 */
export interface Classifier {
  /** The commits of types that were found, after each. Never errors. */
  readonly updates: Observable<CommittedBlock>
  /** To be told of every commit of the indexer. Returns at once. */
  committed(block: Pick<CommittedBlock, 'number' | 'hash' | 'tokens' | 'unread'>): void
  /** Resolves when no pass is under way. */
  settled(): Promise<void>
  /** Begins no further commit and ends `updates`; resolves when the commit under way was told. */
  stop(): Promise<void>
}

/** Of one pass: some milliseconds of the database. */
const TOKENS_PER_PASS = 50
/** Tokens that are remembered as changed; with more, all are looked through again. */
const MOST_PENDING = 5_000
/** After failures in a row it is tried again after ever more blocks: some chains run no code that is not deployed. */
const MOST_BLOCKS_BETWEEN = 1_024

type Block = Pick<CommittedBlock, 'number' | 'hash'>

/** What a pass found and has not committed yet. */
interface Found {
  readonly block: Block
  readonly tokens: readonly Address[]
  readonly codes: readonly HolderCode[]
  readonly contracts: readonly { readonly token: Address; readonly holder: Address }[]
}

export function createClassifier(options: ClassifierOptions): Classifier {
  const { rpc, db, transaction, writer, isBehind, now, logger } = options
  const updates = new Subject<CommittedBlock>()
  const pending = new Set<Address>()
  /** Up to which address all tokens were looked through; `null`: to the end. */
  let lookedUpTo: Address | null = ZERO_ADDRESS
  /** Kept until it is committed and told: a commit of unknown outcome is repeated. */
  let found: Found | null = null
  let committing: Promise<void> = Promise.resolve()
  let notBefore = 0
  let stopped = false

  const note = (tokens: Iterable<Address>) => {
    for (const token of tokens) pending.add(token)
    if (pending.size <= MOST_PENDING) return
    pending.clear()
    lookedUpTo = ZERO_ADDRESS
  }

  /** Looks through tokens that changed, then the next of all. */
  const look = async (block: Block): Promise<Found> => {
    const from = lookedUpTo
    const changed = [...pending].slice(0, TOKENS_PER_PASS)
    const room = TOKENS_PER_PASS - changed.length
    const next = from === null || room === 0 ? [] : await readTokensAfter(db, from, room)
    // What is committed meanwhile is noted again.
    for (const token of changed) pending.delete(token)
    try {
      const tokens = [...new Set([...changed, ...next])]
      const plain = await readPlainHolders(db, { tokens, limit: MOST_ASKED })
      const codes = await ask(block, plain)
      if (plain.length === MOST_ASKED) note(changed)
      else if (lookedUpTo === from && from !== null && room > 0) lookedUpTo = next.length < room ? null : (next.at(-1) ?? null)
      const known = new Map(codes.map(({ holder, contract }) => [holder, contract]))
      return { block, tokens, codes, contracts: plain.filter(({ holder, contract }) => contract ?? known.get(holder)) }
    } catch (error) {
      note(changed)
      throw error
    }
  }

  const ask = async (block: Block, plain: readonly PlainHolder[]): Promise<readonly HolderCode[]> => {
    const holders = [...new Set(plain.flatMap(({ holder, contract }) => (contract === null ? [holder] : [])))]
    if (holders.length === 0) return []
    const flags = await askCodes(rpc, { holders, block })
    return holders.map((holder, index) => ({ holder, contract: flags[index] ?? false }))
  }

  const commit = async ({ block, tokens, codes, contracts }: Found): Promise<void> => {
    const cursor = await transaction(async tx => {
      const cursor = await lockCursor(tx, writer)
      const stored = await writeHolderCodes(tx, block, codes)
      if (stored && contracts.length > 0) await showContracts(tx, contracts, await readClockMs(tx))
      return stored ? cursor : null
    })
    // A reorg took the block: all is asked anew.
    if (cursor === null) note(tokens)
    const unread = [...new Set(contracts.map(({ token }) => token))]
    if (cursor === null || unread.length === 0) return
    const { number, hash, timestamp } = cursor
    // Not read here: hardly any of them is watched, and those who watch one read it themselves.
    updates.next({ number, hash, timestamp, completedAtMs: now(), tokens: [], unread, dropped: [] })
  }

  const pass = async (block: Block): Promise<void> => {
    found ??= await look(block)
    if (stopped) return
    if (found.codes.length > 0 || found.contracts.length > 0) await (committing = commit(found))
    found = null
  }

  const lookups = coalesce<Block>(pass, (err, { number }, failures) => {
    notBefore = number + Math.min(2 ** (failures - 1), MOST_BLOCKS_BETWEEN)
    if (isLogged(failures)) logger.warn({ block: number, failures, err }, 'which holders are contracts could not be found out')
  })

  return {
    updates,
    committed: ({ number, hash, tokens, unread }) => {
      if (stopped) return
      note(tokens.map(({ token }) => token.address))
      note(unread)
      if (!isBehind() && number >= notBefore) lookups.request({ number, hash })
    },
    settled: lookups.settled,
    stop: async () => {
      stopped = true
      lookups.stop()
      await committing.catch(() => undefined)
      updates.complete()
    },
  }
}
