import type { Confirmations } from '#config'
import type { ChainLog } from '#domain/block.ts'
import { fetchHeader } from '#rpc/fetchHeaders.ts'
import { type ChainHeader, parseHeader } from '#rpc/parseHeader.ts'
import type { RpcProvider } from '#rpc/rpc.ts'
import { blockByNumber, blockByTag, logsInBlocks } from '#rpc/rpcCalls.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { faultOf } from '#rpc/rpcFault.ts'
import { checkBlockLogs } from './logs/checkBlockLogs.ts'
import { parseLogs } from './logs/rawLogs.ts'

/** The chain's end as one provider showed it at one time. */
export interface ChainTip {
  readonly head: ChainHeader
  /** The newest block that is deep enough to be indexed; never above `head`. */
  readonly confirmed: ChainHeader
}

export interface BlockWithLogs {
  readonly header: ChainHeader
  /** All logs of the block, ascending by log index. */
  readonly logs: readonly ChainLog[]
}

/**
 * The newest tip, and how to ask for the next one. While somebody takes each confirmed block as it comes, its logs are asked for together with its
 * header, and both together with the head where a new one was announced: as many calls as one after the other, in fewer turns.
 */
export interface ChainTips {
  /**
   * @param isNew a new head was announced
   * @throws `RpcError`
   */
  fetch(provider: RpcProvider, confirmations: Confirmations, isNew: boolean): Promise<ChainTip>
  /** The header of that block, if the newest tip has it. */
  header(number: number): ChainHeader | undefined
  /** The newest tip's confirmed block, if it is of that number and all of its logs came with it; once. */
  take(number: number): BlockWithLogs | null
  /** Lets go of the newest tip: a wrong one must not be held on to while the head stands still. */
  forget(): void
}

/** So often in a row a confirmed block is not asked for again: an answer that was wrong is put right though the head stands still. */
const TIP_KEPT_TIMES = 8
/** For so many tips a provider that refuses several questions at once is asked one after the other. */
const ONE_BY_ONE_TIPS = 64
/** Faults that may be of what was asked for, not of the provider. */
const OF_THE_QUESTION: ReadonlySet<string> = new Set(['too-large', 'batch-too-large', 'rejected', 'missing', 'node'])

interface Kept {
  readonly tip: ChainTip
  readonly confirmations: Confirmations
}

export function createChainTips(): ChainTips {
  /** While the head stands still its confirmed block is not asked for again, and following fetches no header twice. */
  let last: Kept | null = null
  let keptTimes = 0
  let block: BlockWithLogs | null = null
  /** Whether the newest confirmed block was taken: then the next one will be, and not while there is much to catch up on. */
  let isTaken = false
  const oneByOne = new Map<string, number>()

  const keep = (kept: Kept, rawLogs?: unknown): ChainTip => {
    const { confirmed } = kept.tip
    if (confirmed.hash !== last?.tip.confirmed.hash) {
      isTaken = false
      block = rawLogs === undefined ? null : withLogs(confirmed, rawLogs)
    }
    last = kept
    keptTimes = 0
    return kept.tip
  }

  /** The raw answers to the calls and the block's logs; `null`: they are to be asked for one by one. */
  const askTogether = async (provider: RpcProvider, calls: readonly RpcCall[], number: number): Promise<readonly unknown[] | null> => {
    const left = oneByOne.get(provider.name) ?? 0
    if (left > 0) oneByOne.set(provider.name, left - 1)
    if (left > 0 || !isTaken) return null
    try {
      return await provider.calls([...calls, logsInBlocks(number, number)])
    } catch (error) {
      if (!OF_THE_QUESTION.has(faultOf(error)?.kind ?? '')) throw error
      oneByOne.set(provider.name, ONE_BY_ONE_TIPS)
      return null
    }
  }

  const fetchAtDepth = async (provider: RpcProvider, confirmations: number, isNew: boolean): Promise<ChainTip> => {
    const known = last?.confirmations === confirmations ? last.tip : null
    const next = known === null ? null : known.confirmed.number + 1
    const calls = (number: number) => [blockByTag('latest'), ...(confirmations === 0 ? [] : [blockByNumber(number)])]
    const answers = isNew && next !== null ? await askTogether(provider, calls(next), next) : null

    const head = parseHeader(answers === null ? await provider.call('eth_getBlockByNumber', ['latest', false]) : answers[0], 'a head')
    if (known?.head.hash === head.hash && confirmations > 0 && ++keptTimes <= TIP_KEPT_TIMES) return known
    const number = Math.max(0, head.number - confirmations)
    const tipOf = (confirmed: ChainHeader): Kept => ({ tip: { head, confirmed }, confirmations })
    if (answers !== null && number === next) {
      const confirmed = confirmations === 0 ? head : parseHeader(answers[1], `block ${number}`, number)
      return keep(tipOf(confirmed), answers.at(-1))
    }
    if (number === head.number) return keep(tipOf(head))
    const shown = number === next ? await askTogether(provider, [blockByNumber(number)], number) : null
    if (shown !== null) return keep(tipOf(parseHeader(shown[0], `block ${number}`, number)), shown[1])
    return keep(tipOf(await fetchHeader(provider, number)))
  }

  return {
    fetch: async (provider, confirmations, isNew) => {
      if (typeof confirmations === 'number') return fetchAtDepth(provider, confirmations, isNew)
      const [head, confirmed] = await provider.calls([blockByTag('latest'), blockByTag(confirmations)])
      return keep({ tip: orderedTip(parseHeader(head, 'a head'), parseHeader(confirmed, `a ${confirmations} block`)), confirmations })
    },
    header: number => (last === null ? [] : [last.tip.confirmed, last.tip.head]).find(header => header.number === number),
    take: number => {
      if (last?.tip.confirmed.number !== number) return null
      isTaken = true
      const taken = block
      block = null
      return taken
    },
    forget: () => {
      last = null
      block = null
      isTaken = false
    },
  }
}

/** The block, if these are its logs. What they are if not is told when they are asked for by its hash. */
function withLogs(header: ChainHeader, rawLogs: unknown): BlockWithLogs | null {
  try {
    const logs = parseLogs(rawLogs).sort((a, b) => a.logIndex - b.logIndex)
    return checkBlockLogs(header, logs) === null ? { header, logs } : null
  } catch (error) {
    if (faultOf(error) === null) throw error
    return null
  }
}

/** A tag may be answered a moment after the head, and be above it then. */
function orderedTip(head: ChainHeader, confirmed: ChainHeader): ChainTip {
  return { head: confirmed.number > head.number ? confirmed : head, confirmed }
}
