import type { Confirmations } from '#config'
import type { ChainLog } from '#domain/block.ts'
import { checkBlockLogs } from './checkBlockLogs.ts'
import { createLogRanges, type LogRange, type LogRangeQuery } from './logRanges.ts'
import { EMPTY_BLOOM } from './logsBloom.ts'
import { mapBounded } from './mapBounded.ts'
import { type ChainHeader, parseHeader } from './rawBlock.ts'
import { parseLogs } from './rawLogs.ts'
import type { Rpc, RpcProvider } from './rpc.ts'
import { blockByNumber } from './rpcCalls.ts'
import type { RpcCall } from './rpcEndpoint.ts'
import { RpcError } from './rpcFault.ts'

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

/** Blocks and logs of the canonical chain, checked against each other; what contradicts itself is asked again elsewhere, never believed. */
export interface ChainSource {
  /** @throws `RpcError` */
  tip(confirmations: Confirmations): Promise<ChainTip>
  /** @throws `RpcError`, with the fault `missing` when no provider has the block */
  header(number: number): Promise<ChainHeader>
  /** The headers in the order of `numbers`. They may come from several providers: hold them against something whose hash is known. */
  headers(numbers: readonly number[]): Promise<readonly ChainHeader[]>
  /** The header as every healthy provider shows it, for a decision that must not rest on one of them; those that don't have it are left out. */
  headerOfEach(number: number): Promise<readonly ChainHeader[]>
  /** A block with the whole of its logs, fetched by its hash and held against the header's bloom: see `checkBlockLogs`. */
  blockWithLogs(number: number): Promise<BlockWithLogs>
  /** Logs of some addresses in a range, in as many queries as the providers' limits ask for. */
  logsInRange(query: LogRangeQuery): Promise<LogRange>
  /** How many blocks the provider is asked for at once now when logs are fetched in ranges. */
  blocksAtOnce(provider: string): number
}

/** Headers asked for in one question: bounds the size of an answer, not of a range. */
const HEADERS_PER_QUESTION = 100
const HEADER_QUESTIONS_AT_ONCE = 4
/** So often in a row a confirmed block is not asked for again: an answer that was wrong is put right though the head stands still. */
const TIP_KEPT_TIMES = 8

export interface ChainSourceOptions {
  readonly rpc: Pick<Rpc, 'ask' | 'askEach' | 'preferred'>
  /** Queries of logs that are under way at the same time. Default 4. */
  readonly concurrency?: number
}

export function createChainSource({ rpc, concurrency = 4 }: ChainSourceOptions): ChainSource {
  const logRanges = createLogRanges({ rpc, concurrency })
  /** The last tip: while the head stands still its confirmed block is not asked for again, and following fetches no header twice. */
  let last: { readonly tip: ChainTip; readonly confirmations: Confirmations } | null = null
  let keptTimes = 0

  const fetchTip = async (provider: RpcProvider, confirmations: Confirmations): Promise<ChainTip> => {
    if (typeof confirmations === 'string') {
      const [head, confirmed] = await provider.calls([blockByTag('latest'), blockByTag(confirmations)])
      return orderedTip(parseHeader(head, 'a head'), parseHeader(confirmed, `a ${confirmations} block`))
    }
    const head = parseHeader(await provider.call('eth_getBlockByNumber', ['latest', false]), 'a head')
    if (confirmations === 0 || head.number === 0) return { head, confirmed: head }
    if (last?.confirmations === confirmations && last.tip.head.hash === head.hash && ++keptTimes <= TIP_KEPT_TIMES) return last.tip
    keptTimes = 0
    const number = Math.max(0, head.number - confirmations)
    return { head, confirmed: await fetchHeader(provider, number) }
  }

  const knownHeader = (number: number): ChainHeader | undefined => {
    const known = last === null ? [] : [last.tip.confirmed, last.tip.head]
    return known.find(header => header.number === number)
  }

  /** Lets go of the kept tip when another answer contradicts it. Either may be wrong; a wrong one must not be held on to while the head stands still. */
  const compare = (header: ChainHeader): void => {
    const known = knownHeader(header.number)
    if (known !== undefined && known.hash !== header.hash) last = null
  }

  return {
    tip: async confirmations => {
      const tip = await rpc.ask(provider => fetchTip(provider, confirmations))
      last = { tip, confirmations }
      return tip
    },
    header: async number => {
      const header = await rpc.ask(provider => fetchHeader(provider, number))
      compare(header)
      return header
    },
    headers: async numbers => {
      const parts: number[][] = []
      for (let at = 0; at < numbers.length; at += HEADERS_PER_QUESTION) parts.push(numbers.slice(at, at + HEADERS_PER_QUESTION))
      const answers = await mapBounded(parts, HEADER_QUESTIONS_AT_ONCE, part => rpc.ask(provider => fetchHeaders(provider, part)))
      const found = answers.flat()
      for (const header of found) compare(header)
      return found
    },
    headerOfEach: number => {
      // It is asked when something contradicts what is indexed: the kept tip may be what is wrong, and must not be held on to while the head stands still.
      last = null
      return rpc.askEach(provider => fetchHeader(provider, number))
    },
    blockWithLogs: async number => {
      let known = knownHeader(number)
      return rpc.ask(async provider => {
        const header = known ?? (await fetchHeader(provider, number))
        // Only for the first attempt: should it fail, the block may have been replaced meanwhile.
        known = undefined
        if (header.logsBloom === EMPTY_BLOOM) return { header, logs: [] }
        const logs = parseLogs(await provider.call('eth_getLogs', [{ blockHash: header.hash }])).sort((a, b) => a.logIndex - b.logIndex)
        const contradiction = checkBlockLogs(header, logs)
        if (contradiction !== null) throw new RpcError({ kind: 'inconsistent', what: contradiction })
        return { header, logs }
      })
    },
    logsInRange: query => logRanges.fetch(query),
    blocksAtOnce: provider => logRanges.blocksAtOnce(provider),
  }
}

async function fetchHeader(provider: RpcProvider, number: number): Promise<ChainHeader> {
  const [header] = await fetchHeaders(provider, [number])
  if (header === undefined) throw new RpcError({ kind: 'missing', what: `block ${number}` })
  return header
}

async function fetchHeaders(provider: RpcProvider, numbers: readonly number[]): Promise<readonly ChainHeader[]> {
  const answers = await provider.calls(numbers.map(blockByNumber))
  return numbers.map((number, index) => {
    const header = parseHeader(answers[index], `block ${number}`)
    if (header.number !== number) throw new RpcError({ kind: 'inconsistent', what: `block ${header.number} in answer to block ${number}` })
    return header
  })
}

/** A tag may be answered a moment after the head, and be above it then. */
function orderedTip(head: ChainHeader, confirmed: ChainHeader): ChainTip {
  return { head: confirmed.number > head.number ? confirmed : head, confirmed }
}

function blockByTag(tag: 'latest' | 'safe' | 'finalized'): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [tag, false] }
}
