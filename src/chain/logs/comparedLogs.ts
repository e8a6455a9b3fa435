import type { Logger } from 'pino'
import { fetchHeader } from '#chain/block.ts'
import { type Clock, systemClock } from '#clock'
import type { ChainLog } from '#domain/block.ts'
import type { ChainHeader } from '#rpc/header.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { faultOf, inconsistent, RpcError } from '#rpc/rpcFault.ts'
import { gatherLogs, type LogGathering } from './gatherLogs.ts'
import { areSameLogs, orderLogs } from './parseLogs.ts'
import { readReceiptLogs } from './provenLogs.ts'

export interface ComparedLogsOptions {
  readonly rpc: Pick<Rpc, 'ask' | 'askEach' | 'second' | 'preferred' | 'headers'>
  /** Default: real time. */
  readonly clock?: Pick<Clock, 'nowMs' | 'sleep'>
  /** Default: nothing is logged. */
  readonly logger?: Pick<Logger, 'warn'>
}

/** The wanted logs of a query, ascending by place. @throws `RpcError` */
export type ComparedLogs = (gathering: LogGathering) => Promise<readonly ChainLog[]>

/**
 * Asks a second provider for the same logs, where there is one: nothing else shows that old logs are missing or made up. Where the two
 * differ, `decideLogs` decides. A second provider that fails, or is too slow, is not waited for: then the first one is believed.
 */
export function createComparedLogs({ rpc, clock = systemClock, logger }: ComparedLogsOptions): ComparedLogs {
  const answers = createSecondAnswers(clock)
  const reported = new Set<string>()

  /** @returns `null` when the provider fails */
  const askSecond = async (second: SecondProvider, gathering: LogGathering, isOver: () => boolean) => {
    const ask: Rpc['ask'] = question => (isOver() ? Promise.reject(new RpcError({ kind: 'closed' })) : second.ask(question))
    try {
      // What differs is looked up in receipts, so nothing has to be proven before.
      return orderLogs(await gatherLogs({ ...second, ask }, { ...gathering, provesLogs: false }))
    } catch (error) {
      if (faultOf(error) === null) throw error
      return null
    }
  }

  const report = (provider: string, block: number) => {
    if (reported.has(provider)) return
    reported.add(provider)
    logger?.warn({ provider, block }, 'RPC provider leaves logs of old blocks out, makes some up or alters them: receipts show it')
  }

  return async gathering => {
    const second = rpc.second()
    let asked = rpc.preferred().name
    const ask: Rpc['ask'] = question =>
      rpc.ask(provider => {
        asked = provider.name
        return question(provider)
      })
    const askFirst = async () => orderLogs(await gatherLogs({ ask, preferred: rpc.preferred }, gathering))
    if (second === null) return askFirst()
    const [logs, others] = await answers.both(askFirst, isOver => askSecond(second, gathering, isOver))
    if (others === null) return logs
    const decided = await decideLogs(rpc, [logs, others], gathering.testOf(gathering.query.filter))
    if (decided.disputed !== null) {
      for (const [index, name] of [asked, second.preferred().name].entries())
        if (decided.isRight[index] === false) report(name, decided.disputed)
    }
    return decided.logs
  }
}

type SecondProvider = NonNullable<ReturnType<Rpc['second']>>

export interface DecidedLogs {
  readonly logs: readonly ChainLog[]
  /** The first block of which the two answers differ; `null`: none. */
  readonly disputed: number | null
  /** Whether each answer was right in all blocks that were looked at. */
  readonly isRight: readonly [boolean, boolean]
}

/** While one answer is right in every block that is looked at, it is believed after this many. */
const MAX_LOOKED_AT = 8

/**
 * Of two providers' answers to one query of old blocks, the logs that are right: where the answers differ, `decideByReceipts` decides. A
 * provider that leaves logs out, or makes some up, makes no error.
 *
 * @throws `RpcError` `inconsistent` when no receipts decide
 */
async function decideLogs(
  rpc: Pick<Rpc, 'ask' | 'askEach' | 'headers'>,
  [one, other]: readonly [readonly ChainLog[], readonly ChainLog[]],
  isWanted: (log: ChainLog) => boolean,
): Promise<DecidedLogs> {
  const [ofOne, ofOther] = [byBlock(one), byBlock(other)]
  const blocks = [...new Set([...ofOne.keys(), ...ofOther.keys()])].toSorted((a, b) => a - b)
  const disputed = blocks.filter(block => !areSameLogs(ofOne.get(block) ?? [], ofOther.get(block) ?? []))
  const decided = new Map<number, readonly ChainLog[]>()
  let isRight: DecidedLogs['isRight'] = [true, true]
  for (const block of disputed) {
    if (decided.size >= MAX_LOOKED_AT && isRight.includes(true)) break
    const header = await rpc.ask(async provider => {
      const shown = await fetchHeader(provider, block)
      await rpc.headers.assertAgreed([shown])
      return shown
    })
    const logs = (await decideByReceipts(rpc, header)).filter(isWanted)
    const answers = [ofOne.get(block) ?? [], ofOther.get(block) ?? []] as const
    const right = answers.find(answer => areSameLogs(answer, logs))
    isRight = [isRight[0] && right === answers[0], isRight[1] && right === answers[1]]
    // Receipts prove neither the indexes of logs nor the hashes of transactions: an answer that is right is the better source.
    decided.set(block, right ?? logs)
  }
  const believed = isRight[0] ? ofOne : ofOther
  const logs = blocks.flatMap(block => decided.get(block) ?? believed.get(block) ?? [])
  return { logs, disputed: disputed[0] ?? null, isRight }
}

function byBlock(logs: readonly ChainLog[]): ReadonlyMap<number, readonly ChainLog[]> {
  return Map.groupBy(logs, ({ blockNumber }) => blockNumber)
}

/**
 * Asks a second source beside the first, to compare them, as long as that costs little time. It may take `START_MS` longer than the first
 * source, and from then on as much longer as the first source takes itself: a second provider that is slow, or silent, at most doubles the
 * time of a long backfill.
 */
export interface SecondAnswers {
  /**
   * @param second gives `null` when it fails, and should end early when it is over
   * @returns the second answer, `null` also when it was not asked for or did not come in time
   * @throws what `first` throws
   */
  both<T>(first: () => Promise<T>, second: (isOver: () => boolean) => Promise<T | null>): Promise<readonly [T, T | null]>
}

const START_MS = 10_000
/** The longest wait for one answer. */
const MAX_WAIT_MS = 3_000

function createSecondAnswers(clock: Pick<Clock, 'nowMs' | 'sleep'>): SecondAnswers {
  let leftMs = START_MS

  const timed = async <T>(question: () => Promise<T>): Promise<T> => {
    const sinceMs = clock.nowMs()
    try {
      return await question()
    } finally {
      leftMs = Math.min(START_MS, leftMs + clock.nowMs() - sinceMs)
    }
  }

  const wait = async (until: Promise<unknown>): Promise<void> => {
    const sinceMs = clock.nowMs()
    const waiting = new AbortController()
    const waited = clock.sleep(Math.min(MAX_WAIT_MS, leftMs), waiting.signal).catch(() => undefined)
    await Promise.race([until, waited])
    waiting.abort()
    leftMs -= clock.nowMs() - sinceMs
  }

  return {
    both: async <T>(first: () => Promise<T>, second: (isOver: () => boolean) => Promise<T | null>) => {
      if (leftMs <= 0) return [await timed(first), null] as const
      let isOver = false
      let compared: T | null = null
      let isAnswered = false
      const other = second(() => isOver).then(answer => {
        compared = answer
        isAnswered = true
      })
      // Its failure matters only when the first one is there.
      other.catch(() => undefined)
      try {
        const answer = await timed(first)
        if (!isAnswered) await wait(other)
        return [answer, compared] as const
      } finally {
        isOver = true
      }
    },
  }
}

/**
 * The logs of a block of which providers show different ones: those of the receipts that its header commits to or, where headers prove
 * nothing, of those that all providers show alike.
 *
 * @throws `RpcError` `inconsistent` when no receipts decide
 */
export async function decideByReceipts(rpc: Pick<Rpc, 'askEach'>, header: ChainHeader): Promise<readonly ChainLog[]> {
  const shown = (await rpc.askEach(provider => readReceiptLogs(provider, header, true))).filter(answer => answer !== null)
  const proven = shown.find(({ isProven }) => isProven)
  if (proven !== undefined) return proven.logs
  const [first, ...others] = shown.map(({ logs }) => logs)
  if (first !== undefined && others.every(logs => areSameLogs(logs, first))) return first
  throw inconsistent(`providers show different logs of block ${header.number}, and no receipts that decide between them`)
}
