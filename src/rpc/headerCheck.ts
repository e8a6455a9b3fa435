import type { Logger } from 'pino'
import type { Clock } from '#clock'
import { type ChainHeader, isSameHeader, parseHeader } from './header.ts'
import { type ProofSpan, spanOf, withHeader } from './proofSpans.ts'
import { blockByNumber, blockByTag } from './rpcCalls.ts'
import type { RpcCall } from './rpcEndpoint.ts'
import { inconsistent, missing } from './rpcFault.ts'

/**
 * Decides which headers are believed. Proof is a property of each header, since a fork may add fields that this version does not know, and
 * some chains have entirely other fields. An unproven header is believed where providers agree on it.
 */
export interface HeaderCheck {
  /**
   * Checks a header that a provider shows, before anything of it is used.
   *
   * @throws `RpcError` `inconsistent` for an unproven header where earlier ones are proven, unless every provider shows it so again and
   * again
   */
  check(header: ChainHeader): Promise<void>
  /** Notes the head that a probe of a provider has shown. @throws as `check`, without asking again */
  checkProbe(head: ChainHeader): void
  /**
   * Compares unproven headers between providers, and all headers of blocks from which on they are not proven, since a single provider can
   * make up a header with its hash. To be called with each header before its block is committed.
   *
   * @throws `RpcError` `inconsistent` when providers show different headers, or a time is ahead of the clock; `missing` when a provider
   * does not have the block yet
   */
  assertAgreed(headers: readonly ChainHeader[]): Promise<void>
  /** The sentence that says from which block on headers are not proven; `null`: the newest are proven. */
  warning(): string | null
}

export interface HeaderCheckOptions {
  /** Puts the question to each provider that answers. @throws `RpcError` when none does */
  readonly askEach: (question: (provider: Calls) => Promise<ShownHeaders>) => Promise<readonly ShownHeaders[]>
  readonly providers: number
  readonly clock: Pick<Clock, 'epochMs'>
  readonly logger: Pick<Logger, 'warn'>
}

/** How often an unproven header has to be shown again after proven ones: one garbled answer must not look like a fork. */
const SHOWN_AGAIN = 2
/** How far a block's time may be ahead of this machine's clock: the clocks of machines and sequencers differ by less. */
const MAX_AHEAD_SECONDS = 60
/** Headers in one question: bounds the size of an answer. */
const MAX_COMPARED = 100

export function createHeaderCheck({ askEach, providers, clock, logger }: HeaderCheckOptions): HeaderCheck {
  let spans: readonly ProofSpan[] = []

  const note = (header: ChainHeader) => {
    const known = spanOf(spans, header.number)
    spans = withHeader(spans, header)
    if (header.isProven || known?.isProven === false) return
    const { number: fromBlock, unknownFields } = header
    logger.warn({ fromBlock, unknownFields, providers }, 'the hashes of headers do not prove their fields: providers are compared')
  }

  /** @throws `RpcError` `inconsistent` */
  const confirm = async (header: ChainHeader): Promise<void> => {
    const proven = spans.findLast(({ isProven }) => isProven)?.newest
    for (let count = 0; count < SHOWN_AGAIN; count++) {
      const shown = await showEach(askEach, [header.number, ...(proven === undefined ? [] : [proven.number])])
      const again = shown.flatMap(({ headers: [one] }) => one ?? [])
      const isSame = again.length > 0 && again.every(one => !one.isProven && isSameHeader(one, header))
      // A provider that shows a proven header with other fields alters its answers, also the one to this header.
      const isAltered = shown.some(({ headers: [, one] }) => proven && one?.hash === proven.hash && !isSameHeader(one, proven))
      if (!isSame || isAltered) throw unproven(header)
    }
  }

  const compare = async (headers: readonly ChainHeader[]): Promise<void> => {
    const answers = await showEach(
      askEach,
      headers.map(({ number }) => number),
    )
    for (const [index, header] of headers.entries()) {
      for (const { headers: shown, head } of answers) {
        const other = shown[index] ?? null
        // A provider that has no longer kept an old block does not contradict it.
        if (other === null && head < header.number) throw missing(`block ${header.number} of every provider`)
        if (other === null || isSameHeader(other, header) || (header.isProven && other.hash === header.hash)) continue
        throw inconsistent(`providers show different headers of block ${header.number}`)
      }
    }
  }

  return {
    check: async header => {
      // Where headers are not proven, `assertAgreed` decides, also about a proven one.
      if (spanOf(spans, header.number)?.isProven === false) return
      if (!header.isProven) await confirm(header)
      note(header)
    },
    checkProbe: head => {
      // Other providers' heads are compared with its time.
      assertPresent(head, clock)
      const isExpected = spanOf(spans, head.number)?.isProven
      if (!head.isProven && isExpected === true) throw unproven(head)
      if (head.isProven && isExpected !== false) note(head)
    },
    assertAgreed: async headers => {
      const doubtful = headers.filter(({ isProven, number }) => !isProven || spanOf(spans, number)?.isProven === false)
      for (const header of doubtful) assertPresent(header, clock)
      if (providers > 1) for (let at = 0; at < doubtful.length; at += MAX_COMPARED) await compare(doubtful.slice(at, at + MAX_COMPARED))
      for (const header of doubtful) note(header)
    },
    warning: () => {
      const newest = spans.at(-1)
      if (newest === undefined || newest.isProven) return null
      const compared = providers > 1 ? 'providers are compared' : 'a second provider in RPC_URLS would be compared with the first'
      return `from block ${newest.from} on, the hashes of headers do not prove their fields; ${compared}`
    },
  }
}

interface Calls {
  calls(calls: readonly RpcCall[]): Promise<readonly unknown[]>
}

/** What one provider shows: the headers of some blocks, `null` for one that it does not have, and the number of its head. */
interface ShownHeaders {
  readonly headers: readonly (ChainHeader | null)[]
  readonly head: number
}

function showEach(askEach: HeaderCheckOptions['askEach'], numbers: readonly number[]): Promise<readonly ShownHeaders[]> {
  return askEach(async provider => {
    const answers = await provider.calls([...numbers.map(blockByNumber), blockByTag('latest')])
    const shown = numbers.map((number, index) => (answers[index] === null ? null : parseHeader(answers[index], `block ${number}`, number)))
    return { headers: shown, head: parseHeader(answers.at(-1), 'a head').number }
  })
}

/** @throws `RpcError` `inconsistent` for an unproven header whose time is ahead of the clock */
function assertPresent({ isProven, number, timestamp }: ChainHeader, clock: Pick<Clock, 'epochMs'>): void {
  if (isProven || timestamp <= clock.epochMs() / 1_000 + MAX_AHEAD_SECONDS) return
  throw inconsistent(`the time of block ${number} is ahead of the clock of this machine`)
}

function unproven({ number }: ChainHeader): Error {
  return inconsistent(`the hash of block ${number} is not that of its fields`)
}
