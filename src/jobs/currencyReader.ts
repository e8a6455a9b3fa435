import type { Logger } from 'pino'
import { type Observable, Subject } from 'rxjs'
import { decodeAbiParameters, toFunctionSelector } from 'viem/utils'
import { mapBounded } from '#async/turns.ts'
import type { Address, Hex } from '#domain/address.ts'
import { MAX_QUOTE_DECIMALS } from '#domain/prices.ts'
import { cleanQuoteSymbol } from '#domain/text.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { faultOf } from '#rpc/rpcFault.ts'
import { readDueCurrencies, writeCurrencies } from '#store/rows/currencies.ts'
import type { CurrencyRow } from '#tables/currency.ts'
import { type CommitJob, type CommitNotice, commitTokens, createJobRuns, type JobDatabase } from './commitJob.ts'

export interface CurrencyReaderOptions extends JobDatabase {
  readonly rpc: Pick<Rpc, 'request'>
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly logger: Logger
}

/** Reads symbol and decimals of each currency that a new pool is quoted in, and again once a day. */
export interface CurrencyReader extends CommitJob {
  /** The commits that stored symbols and decimals. Never errors; completes on `stop`. */
  readonly updates: Observable<CommittedBlock>
}

const CURRENCIES_PER_RUN = 20
const READS_AT_ONCE = 2
/** The most blocks until the next run, which double with each failure in a row. */
const MAX_BLOCKS_BETWEEN = 256

export function createCurrencyReader(options: CurrencyReaderOptions): CurrencyReader {
  const { rpc, db, now, logger } = options
  const updates = new Subject<CommittedBlock>()
  /** The currencies that were read, kept until they are committed and published: a commit of unknown outcome is repeated. */
  let read: readonly FetchedCurrency[] | null = null

  const commit = async (currencies: readonly FetchedCurrency[]): Promise<void> => {
    const committed = await commitTokens(options, now, (tx, committedAtMs) => writeCurrencies(tx, currencies, committedAtMs))
    if (committed !== null) updates.next(committed)
  }

  const run = async (): Promise<void> => {
    for (;;) {
      const due = read === null ? await readDueCurrencies(db, CURRENCIES_PER_RUN) : []
      read ??= await mapBounded(due, READS_AT_ONCE, address => fetchCurrency(rpc, address))
      if (runs.isStopped) return
      if (read.length > 0) await runs.commit(commit(read))
      const isLast = read.length < CURRENCIES_PER_RUN
      read = null
      if (isLast) return
    }
  }

  const runs = createJobRuns<CommitNotice>({
    run,
    logger,
    failure: 'cannot read the symbols and decimals of currencies',
    maxBlocksBetween: MAX_BLOCKS_BETWEEN,
  })

  return {
    updates,
    committed: runs.request,
    settled: runs.settled,
    stop: async () => {
      await runs.stop()
      updates.complete()
    },
  }
}

type FetchedCurrency = Omit<CurrencyRow, 'readAgainAtMs'>

/** The gas limit of a call. It is enough for any token's getter, and stops a contract that burns gas. */
const GAS = '0x7a120'
/** Two words and the longest symbol that is kept, as hex. A contract may return megabytes. */
const MAX_ANSWER_LENGTH = 2 + 2 * (64 + 4 * 1_024)
const WORD_LENGTH = 2 + 64

/**
 * Asks a contract for its `decimals()` and `symbol()`. A value that the contract does not return, or that makes no sense, is `null`.
 *
 * @throws `RpcError` when no provider answers
 */
export async function fetchCurrency(rpc: Pick<Rpc, 'request'>, address: Address): Promise<FetchedCurrency> {
  const [decimals, symbol] = await Promise.all(['decimals()', 'symbol()'].map(getter => ask(rpc, address, getter)))
  return { address, decimals: decimalsOf(decimals ?? null), symbol: symbolOf(symbol ?? null), isRead: true }
}

async function ask(rpc: Pick<Rpc, 'request'>, to: Address, getter: string): Promise<Hex | null> {
  try {
    const answer = await rpc.request({ method: 'eth_call', params: [{ to, data: toFunctionSelector(getter), gas: GAS }, 'latest'] })
    return typeof answer === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(answer) && answer.length <= MAX_ANSWER_LENGTH ? (answer as Hex) : null
  } catch (error) {
    // The call has reverted, or the address has no contract that answers it.
    const kind = faultOf(error)?.kind
    if (kind === 'rejected' || kind === 'node') return null
    throw error
  }
}

function decimalsOf(answer: Hex | null): number | null {
  if (answer?.length !== WORD_LENGTH) return null
  const decimals = BigInt(answer)
  return decimals > BigInt(MAX_QUOTE_DECIMALS) ? null : Number(decimals)
}

/** Reads a `string`, or the `bytes32` of old tokens. */
function symbolOf(answer: Hex | null): string | null {
  if (answer === null || answer.length < WORD_LENGTH) return null
  return cleanQuoteSymbol(textOf(answer))
}

function textOf(answer: Hex): string {
  if (answer.length === WORD_LENGTH) return Buffer.from(answer.slice(2), 'hex').toString('utf8')
  try {
    return decodeAbiParameters([{ type: 'string' }], answer)[0]
  } catch {
    return ''
  }
}
