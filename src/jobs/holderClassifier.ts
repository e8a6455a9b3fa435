import { type Observable, Subject } from 'rxjs'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { callAtBlock, runAt } from '#rpc/rpcCalls.ts'
import { garbled, RpcError } from '#rpc/rpcFault.ts'
import { type PlainHolder, readPlainHolders, readTokensAfter, showContracts, writeHolderCodes } from '#store/rows/holderCodes.ts'
import type { HolderCodeRow } from '#tables/balance.ts'
import { type CommitJob, type CommitJobOptions, type CommitNotice, commitTokens, createJobRuns } from './commitJob.ts'

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

/** A call with this many holders takes some 800,000 gas and 6 KB of code, within the limits of nodes and EIP-3860. */
export const MAX_HOLDERS_PER_CALL = 300

/**
 * `HolderCodes.yul`, compiled. With addresses appended, it returns a byte for each: 1 for a contract. Providers charge as much for it as
 * for one `eth_getCode`.
 */
export const HOLDER_CODES: Hex =
  '0x604e6014813803049060005b828110601657826040f35b80601480600193028401600c396000516000602052600360006020833c62ef010060205160e81c1415903b151516816040015301600b56'

/**
 * Which of at most `MAX_HOLDERS_PER_CALL` holders are contracts at a block. Accounts with an EIP-7702 delegation do not count as contracts.
 *
 * @returns in the order of `holders`
 * @throws `RpcError` when no provider answers, none has the block, or the one that has it refuses to run code that is not deployed
 */
export async function fetchHolderCodes(
  rpc: Pick<Rpc, 'ask'>,
  { holders, block }: { readonly holders: readonly Address[]; readonly block: Pick<BlockHeader, 'number' | 'hash'> },
): Promise<readonly boolean[]> {
  const code: Hex = `${HOLDER_CODES}${holders.map(holder => holder.slice(2)).join('')}`
  const answered = await rpc.ask(async provider => {
    const answer = await callAtBlock(provider, block, runAt(block.number, code))
    return answer.kind === 'refusal' ? answer : { kind: 'codes' as const, codes: parseCodes(answer.value, holders.length) }
  })
  // The refusal is thrown here, since inside `ask` it would count against the provider's health.
  if (answered.kind === 'refusal') throw new RpcError(answered.fault)
  return answered.codes
}

function parseCodes(value: unknown, count: number): readonly boolean[] {
  const flags = typeof value === 'string' && /^0x(?:0[01])*$/.test(value) ? value.slice(2) : ''
  if (flags.length !== 2 * count) throw garbled(`not a byte for each of ${count} addresses`)
  return Array.from({ length: count }, (_, index) => flags[2 * index + 1] === '1')
}
