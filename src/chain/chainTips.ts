import type { Confirmations } from '#config'
import type { ChainHeader } from '#rpc/header.ts'
import type { RpcProvider } from '#rpc/provider.ts'
import { blockByNumber, blockByTag, logsInBlocks } from '#rpc/rpcCalls.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { faultOf, RpcError, type RpcFault } from '#rpc/rpcFault.ts'
import { type BlockWithLogs, blockWithLogs, fetchHeader, readHeader } from './block.ts'
import { smallerThanBlock } from './logs/gatherLogs.ts'
import { parseLogs } from './logs/parseLogs.ts'

export interface TipRequest {
  /** What counts as confirmed: the same in every request to one source. */
  readonly confirmations: Confirmations
  /** A provider pushed this head: it is asked for in one request with the confirmed block. */
  readonly announced: boolean
  /** The block that is indexed next, when its logs are wanted with the tip; `null` while catching up. */
  readonly next: number | null
}

/** The end of the chain as one provider showed it at one time. */
export interface ChainTip {
  readonly head: ChainHeader
  /** The newest block that is deep enough to be indexed; never above `head`. */
  readonly confirmed: ChainHeader
  /** The confirmed block with all of its logs, when it is the requested `next` and came with the tip. */
  readonly block: BlockWithLogs | null
}

/**
 * Reads tips. One request asks for the header and the logs of the block that is indexed next, and for the head too when it was announced:
 * the same calls in fewer round trips.
 */
export interface ChainTips {
  /** @throws `RpcError` */
  fetch(provider: RpcProvider, request: TipRequest): Promise<ChainTip>
  /** Forgets the newest tip when the header contradicts it: a wrong tip must not be repeated while the head stands still. */
  compare(header: ChainHeader): void
  forget(): void
}

/** While the head is the same, the kept tip is used this many times. Then it is read again: a wrong answer must not last. */
const MAX_REPEATS = 8
/** Faults that end the question: calls of their own, one after the other, would meet them as well. */
const ENDING_FAULTS: ReadonlySet<RpcFault['kind']> = new Set(['timeout', 'network', 'cut-off', 'rate-limited', 'wrong-chain', 'closed'])
/** From this many refusals in a row on, some tips are read without the logs. */
const PAUSED_FROM = 3
const MAX_PAUSE = 256

/**
 * How one provider answers combined requests: headers together with a query of logs. A refusal need not last, since a node may not know the
 * logs of its newest block yet.
 */
interface Combining {
  readonly refusalsInARow: number
  /** How many tips are read without the logs before the next combined request. */
  readonly pausedFor: number
}

function afterRefusedRequest({ refusalsInARow }: Combining): Combining {
  const refusals = refusalsInARow + 1
  return { refusalsInARow: refusals, pausedFor: refusals < PAUSED_FROM ? 0 : Math.min(MAX_PAUSE, 2 ** refusals) }
}

const NEVER_REFUSED: Combining = { refusalsInARow: 0, pausedFor: 0 }

export function createChainTips(): ChainTips {
  let last: ChainTip | null = null
  /** Those of `last`: an index and its side index ask for tips of different depths. */
  let lastConfirmations: Confirmations | null = null
  let repeats = 0
  const byProvider = new Map<string, Combining>()

  const keep = (tip: ChainTip, confirmations: Confirmations): ChainTip => {
    last = tip
    lastConfirmations = confirmations
    repeats = 0
    return tip
  }

  /** The answers to the query of the block's logs, then to the calls; `null`: they have to be asked for one after the other. */
  const askCombined = async (provider: RpcProvider, number: number, calls: readonly RpcCall[]): Promise<readonly unknown[] | null> => {
    const combining = byProvider.get(provider.name) ?? NEVER_REFUSED
    if (combining.pausedFor > 0) {
      byProvider.set(provider.name, { ...combining, pausedFor: combining.pausedFor - 1 })
      return null
    }
    try {
      const answers = await provider.calls([logsInBlocks(number, number), ...calls], { smaller: smallerThanBlock(number) })
      byProvider.delete(provider.name)
      return answers
    } catch (error) {
      const fault = faultOf(error)
      if (fault === null || ENDING_FAULTS.has(fault.kind)) throw error
      byProvider.set(provider.name, afterRefusedRequest(combining))
      return null
    }
  }

  const fetchAtDepth = async (provider: RpcProvider, depth: number, announced: boolean, next: number | null): Promise<ChainTip> => {
    const calls = (number: number) => [blockByTag('latest'), ...(depth === 0 ? [] : [blockByNumber(number)])]
    const answers = announced && next !== null ? await askCombined(provider, next, calls(next)) : null

    const head = await readHeader(provider, answers === null ? await provider.call(blockByTag('latest')) : answers[1], 'a head')
    if (last?.head.hash === head.hash && lastConfirmations === depth && depth > 0 && ++repeats <= MAX_REPEATS) return last

    const number = Math.max(0, head.number - depth)
    if (answers !== null && number === next) {
      const confirmed = depth === 0 ? head : await readHeader(provider, answers[2], `block ${number}`, number)
      return { head, confirmed, block: withLogs(confirmed, answers[0]) }
    }
    if (number === head.number) return { head, confirmed: head, block: null }
    const shown = number === next && !announced ? await askCombined(provider, number, [blockByNumber(number)]) : null
    if (shown === null) return { head, confirmed: await fetchHeader(provider, number), block: null }
    const confirmed = await readHeader(provider, shown[1], `block ${number}`, number)
    return { head, confirmed, block: withLogs(confirmed, shown[0]) }
  }

  return {
    fetch: async (provider, { confirmations, announced, next }) => {
      if (typeof confirmations === 'number') {
        const tip = await fetchAtDepth(provider, confirmations, announced, next)
        return tip === last ? tip : keep(tip, confirmations)
      }
      const calls = [blockByTag('latest'), blockByTag(confirmations)]
      const [head, confirmed] = await provider.calls(calls).catch(error => rethrowUnmarked(error, confirmations))
      const what = `a ${confirmations} block; ${WITHOUT_MARKS}`
      const tip = orderedTip(await readHeader(provider, head, 'a head'), await readHeader(provider, confirmed, what))
      return keep(tip, confirmations)
    },
    compare: header => {
      const known = last === null ? [] : [last.confirmed, last.head]
      if (known.some(({ number, hash }) => number === header.number && hash !== header.hash)) last = null
    },
    forget: () => {
      last = null
    },
  }
}

/** For nodes that refuse the name of a mark, and chains on which no block ever gets it. */
const WITHOUT_MARKS = 'where it never has one, set CONFIRMATIONS to a number of blocks'

function rethrowUnmarked(error: unknown, mark: 'safe' | 'finalized'): never {
  const fault = faultOf(error)
  if (!(error instanceof RpcError) || (fault?.kind !== 'node' && fault?.kind !== 'rejected') || !fault.text.includes(mark)) throw error
  throw new RpcError({ ...fault, text: `${fault.text}; ${WITHOUT_MARKS}` }, error.provider)
}

/**
 * The block, if these are its logs. `null`: they have to be fetched by the block's hash, and that call throws the error, if there is one.
 */
function withLogs(header: ChainHeader, rawLogs: unknown): BlockWithLogs | null {
  try {
    return blockWithLogs(header, parseLogs(rawLogs, header.hash))
  } catch (error) {
    if (faultOf(error) === null) throw error
    return null
  }
}

/** The block of a tag may be read a moment after the head, and so be above it. */
function orderedTip(head: ChainHeader, confirmed: ChainHeader): ChainTip {
  return { head: confirmed.number > head.number ? confirmed : head, confirmed, block: null }
}
