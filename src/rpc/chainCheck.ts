import type { Logger } from 'pino'
import type { Clock } from '#clock'
import { TokenwireError } from '#errors'
import { type ChainHeader, isSameHeader, parseHeader, parseQuantity } from './header.ts'
import type { Provider, ProviderCallOptions } from './provider.ts'
import { areBehind, backOffUntilMs, isHealthy } from './providerHealth.ts'
import { blockByNumber, blockByTag } from './rpcCalls.ts'
import type { RpcCall } from './rpcEndpoint.ts'
import { faultOf, inconsistent, isLost, missing, RpcError } from './rpcFault.ts'

export interface ChainCheckOptions {
  readonly providers: readonly Provider[]
  /** The expected chain; `null`: the chain that all answering providers serve. */
  readonly chainId: number | null
  readonly logger: Logger
  readonly clock: Clock
  readonly headers: Pick<HeaderCheck, 'checkProbe'>
}

/** Makes sure that only providers of the right chain with a fresh head are asked. */
export interface ChainCheck {
  /**
   * Asks every provider for its chain and waits for those that answer soon.
   *
   * @returns the chain id
   * @throws `TokenwireError` `chain_mismatch`, `rpc_unavailable`
   */
  connect(): Promise<number>
  /** @throws `RpcError` when the provider does not answer or serves another chain */
  identify(provider: Provider): Promise<void>
  /**
   * Probes, without waiting, the providers that get no requests: so a preferred provider that works again is found, and a stale one is
   * known before it is needed.
   */
  probeIdle(): void
}

const CONNECT_TIMEOUT_MS = 5_000
/** How often a provider that gets no requests shows its chain and head. */
const PROBE_EVERY_MS = 30_000

export function createChainCheck({ providers, chainId: configured, logger, clock, headers }: ChainCheckOptions): ChainCheck {
  let expected = configured
  const probedAtMs = new Map<string, number>()
  const probing = new Set<string>()

  /** Returns the chain id, which is `wanted` unless that is `null`. */
  const identify = async (provider: Provider, wanted: number | null, timeoutMs?: number): Promise<number> => {
    let sentAtMs = clock.nowMs()
    probedAtMs.set(provider.name, sentAtMs)
    const options: ProviderCallOptions = {
      onAnswered: atMs => {
        sentAtMs = atMs
      },
      ...(timeoutMs !== undefined && { timeoutMs }),
    }
    try {
      const [id, block] = await provider.call(IDENTITY_CALLS, options)
      const chainId = parseQuantity(id, 'eth_chainId')
      if (wanted !== null && wanted !== chainId)
        throw new RpcError({ kind: 'wrong-chain', expected: wanted, actual: chainId }, provider.name)
      const head = parseHeader(block, 'a head')
      headers.checkProbe(head)
      provider.identified(sentAtMs, head.timestamp)
      const behind = areBehind(providers.map(({ health }) => health))
      for (const [index, one] of providers.entries()) one.setBehind(behind[index] === true)
      return chainId
    } catch (error) {
      const fault = faultOf(error)
      if (fault !== null && !isLost(fault)) provider.failed(fault, sentAtMs)
      throw error
    }
  }

  const probe = async (provider: Provider): Promise<void> => {
    probing.add(provider.name)
    try {
      await identify(provider, expected)
    } catch (error) {
      // A fault of the provider is in its health already.
      if (faultOf(error) === null) logger.error({ provider: provider.name, err: error }, 'probing an RPC provider failed')
    } finally {
      probing.delete(provider.name)
    }
  }

  return {
    identify: async provider => {
      const chainId = await identify(provider, expected)
      expected ??= chainId
    },
    probeIdle: () => {
      const nowMs = clock.nowMs()
      for (const provider of providers) {
        const last = probedAtMs.get(provider.name) ?? Number.NEGATIVE_INFINITY
        if (!probing.has(provider.name) && isProbeDue(provider, providers.length, nowMs, last)) void probe(provider)
      }
    },
    connect: async () => {
      const outcomes = await Promise.allSettled(providers.map(provider => identify(provider, configured, CONNECT_TIMEOUT_MS)))
      const chains = Map.groupBy(
        providers.flatMap(({ name }, index) => {
          const outcome = outcomes[index]
          return outcome?.status === 'fulfilled' ? [{ name, chainId: outcome.value }] : []
        }),
        ({ chainId }) => chainId,
      )
      const [chainId] = chains.keys()
      if (chainId === undefined) throw connectError(outcomes)
      if (chains.size > 1) throw disagreement(chains)
      expected = chainId
      const unanswered = providers.flatMap(({ name }, index) => (outcomes[index]?.status === 'rejected' ? [name] : []))
      if (configured === null && unanswered.length > 0)
        logger.warn(
          { chainId, unanswered },
          'CHAIN_ID is not set, and not all providers have answered: the chain is that of those that have',
        )
      return chainId
    },
  }
}

const IDENTITY_CALLS: readonly RpcCall[] = [{ method: 'eth_chainId', params: [] }, blockByTag('latest')]

function isProbeDue(provider: Provider, providers: number, nowMs: number, probedAtMs: number): boolean {
  const { health, limits } = provider
  // A lone provider gets the next question whatever it did before, unless it serves another chain.
  if (providers === 1 && health.chain !== 'wrong') return false
  if (nowMs < limits.silentUntilMs || nowMs < backOffUntilMs(health)) return false
  const failing = health.chain !== 'wrong' && !health.behind && !isHealthy(provider, nowMs)
  return failing || nowMs - probedAtMs >= PROBE_EVERY_MS
}

function disagreement(chains: ReadonlyMap<number, readonly { readonly name: string }[]>): TokenwireError {
  const said = [...chains].map(([chainId, shown]) => `${shown.map(({ name }) => name).join(', ')}: chain ${chainId}`)
  return new TokenwireError(
    'chain_mismatch',
    `the providers of RPC_URLS serve different chains (${said.join('; ')}); set CHAIN_ID to the chain to index, or correct RPC_URLS`,
  )
}

/**
 * The error when no provider of the right chain has answered. A wrong chain is reported first, since it is a mistake in the configuration:
 * a silent provider may answer later.
 */
function connectError(outcomes: readonly PromiseSettledResult<number>[]): unknown {
  const reasons = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  const mismatch = reasons.find(reason => faultOf(reason)?.kind === 'wrong-chain')
  if (mismatch !== undefined) return mismatch
  const sentences = reasons.map(reason => (reason instanceof RpcError ? reason.message : 'an RPC provider failed'))
  return new TokenwireError('rpc_unavailable', `no RPC provider answers (${sentences.join('; ')})`, { retryable: true })
}

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

/** Blocks, from one on up to the next span, whose headers were proven, or were not. Forks of a chain begin new spans. */
export interface ProofSpan {
  readonly from: number
  readonly isProven: boolean
  /** The highest header that was believed. */
  readonly newest: ChainHeader
}

/** Bounds the memory if a provider shows proven headers now and then on a chain whose headers are not. */
const MAX_SPANS = 32

/** The span of a block; of one below all spans, the lowest. `null`: no header was believed yet. */
export function spanOf(spans: readonly ProofSpan[], number: number): ProofSpan | null {
  return spans.findLast(({ from }) => from <= number) ?? spans[0] ?? null
}

/** The spans, ascending, after a header was believed. */
export function withHeader(spans: readonly ProofSpan[], header: ChainHeader): readonly ProofSpan[] {
  const { number, isProven } = header
  const before = spans.filter(span => span.from < number || (span.from === number && span.isProven === isProven))
  const after = spans.filter(({ from }) => from > number)
  const all = [...before, { from: number, isProven, newest: header }, ...after]
  return all.reduce<readonly ProofSpan[]>(joined, []).slice(-MAX_SPANS)
}

/** A span joins the one before it if both are of one kind. */
function joined(spans: readonly ProofSpan[], span: ProofSpan): readonly ProofSpan[] {
  const last = spans.at(-1)
  if (last?.isProven !== span.isProven) return [...spans, span]
  const newest = last.newest.number > span.newest.number ? last.newest : span.newest
  return [...spans.slice(0, -1), { ...last, newest }]
}
