import { type Observable, Subject } from 'rxjs'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { type CommitJob, type CommitJobOptions, type CommitNotice, commitTokens } from '#jobs/commitJob.ts'
import { createJobRuns } from '#jobs/jobRuns.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { type PlainHolder, readPlainHolders, readTokensAfter, showContracts, writeHolderCodes } from '#store/rows/holderCodes.ts'
import type { HolderCodeRow } from '#tables/balance.ts'
import { fetchHolderCodes, MAX_HOLDERS_PER_CALL } from './fetchHolderCodes.ts'

export interface HolderClassifierOptions extends CommitJobOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** Finds contracts among the largest holders of changed tokens and, after a start, of all tokens. Makes at most one call per block. */
export interface HolderClassifier extends CommitJob {
  /** The commits that set the type of holders. Never errors; completes on `stop`. */
  readonly updates: Observable<CommittedBlock>
}

/** Reading the largest holders of this many tokens takes the database a few milliseconds. */
const TOKENS_PER_RUN = 50
/** The most changed tokens that are kept. With more of them, all tokens are scanned again. */
const MAX_PENDING = 5_000
/** The most blocks until the next run, which double with each failure in a row: some chains refuse to run code that is not deployed. */
const MAX_BLOCKS_BETWEEN = 1_024

type Block = Pick<CommitNotice, 'number' | 'hash'>

interface Classified {
  readonly block: Block
  readonly tokens: readonly Address[]
  readonly codes: readonly HolderCodeRow[]
  readonly contracts: readonly { readonly token: Address; readonly holder: Address }[]
}

export function createHolderClassifier(options: HolderClassifierOptions): HolderClassifier {
  const { rpc, db, isBehind, now, logger } = options
  const updates = new Subject<CommittedBlock>()
  const pending = new Set<Address>()
  /** The address up to which the scan of all tokens has come; `null`: it has ended. */
  let scannedTo: Address | null = ZERO_ADDRESS
  /** The result of a run, kept until it is committed and published: a commit of unknown outcome is repeated. */
  let classified: Classified | null = null

  const enqueue = (tokens: Iterable<Address>) => {
    for (const token of tokens) pending.add(token)
    if (pending.size <= MAX_PENDING) return
    pending.clear()
    scannedTo = ZERO_ADDRESS
  }

  const classify = async (block: Block): Promise<Classified> => {
    const from = scannedTo
    const changed = [...pending].slice(0, TOKENS_PER_RUN)
    const room = TOKENS_PER_RUN - changed.length
    const scanned = from === null || room === 0 ? [] : await readTokensAfter(db, from, room)
    // Tokens are removed before their holders are read, so that commits in the meantime can put them back.
    for (const token of changed) pending.delete(token)
    try {
      const tokens = [...new Set([...changed, ...scanned])]
      const holders = await readPlainHolders(db, tokens, MAX_HOLDERS_PER_CALL)
      const codes = await fetchUnknown(block, holders)
      if (holders.length === MAX_HOLDERS_PER_CALL) enqueue(changed)
      else if (scannedTo === from && from !== null && room > 0) scannedTo = scanned.length < room ? null : (scanned.at(-1) ?? null)
      const fetched = new Map(codes.map(({ holder, contract }) => [holder, contract]))
      return { block, tokens, codes, contracts: holders.filter(({ holder, contract }) => contract ?? fetched.get(holder)) }
    } catch (error) {
      enqueue(changed)
      throw error
    }
  }

  const fetchUnknown = async (block: Block, plain: readonly PlainHolder[]): Promise<readonly HolderCodeRow[]> => {
    const holders = [...new Set(plain.flatMap(({ holder, contract }) => (contract === null ? [holder] : [])))]
    if (holders.length === 0) return []
    const codes = await fetchHolderCodes(rpc, { holders, block })
    return holders.map((holder, index) => ({ holder, contract: codes[index] ?? false }))
  }

  const commit = async ({ block, tokens, codes, contracts }: Classified): Promise<void> => {
    const committed = await commitTokens(options, now, async (tx, committedAtMs) => {
      if (!(await writeHolderCodes(tx, block, codes))) {
        // A reorg has replaced the block.
        enqueue(tokens)
        return null
      }
      if (contracts.length > 0) await showContracts(tx, contracts, committedAtMs)
      return contracts.map(({ token }) => token)
    })
    if (committed !== null) updates.next(committed)
  }

  const run = async (block: Block): Promise<void> => {
    classified ??= await classify(block)
    if (runs.isStopped) return
    if (classified.codes.length > 0 || classified.contracts.length > 0) await runs.commit(commit(classified))
    classified = null
  }

  const runs = createJobRuns<Block>({
    run,
    logger,
    failure: 'cannot find out which holders are contracts',
    maxBlocksBetween: MAX_BLOCKS_BETWEEN,
  })

  return {
    updates,
    committed: ({ number, hash, tokens, unread }) => {
      if (runs.isStopped) return
      enqueue(tokens.map(({ token }) => token.address))
      enqueue(unread)
      if (!isBehind()) runs.request({ number, hash })
    },
    settled: runs.settled,
    stop: async () => {
      await runs.stop()
      updates.complete()
    },
  }
}
