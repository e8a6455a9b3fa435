import type { Logger } from 'pino'
import type { Clock } from '#clock'
import type { RpcHealth } from '#resources/health.ts'
import type { ChainHeader } from './header.ts'
import { createHttpEndpoint } from './httpEndpoint.ts'
import {
  afterAnswer,
  afterDoubtfulRefusal,
  afterLogsAnswer,
  afterLogsRefusal,
  afterRefusal,
  afterTooManyCalls,
  exceededLimit,
  type Limits,
  type LogQuerySize,
  type LogRefusal,
  MAX_SILENCE_WAIT_MS,
  mayBeTooLarge,
  type SmallerQuery,
  TOGETHER_CALLS,
  UNLIMITED,
} from './limits.ts'
import {
  afterBelieved,
  afterFault,
  afterResponse,
  isUsable,
  type ProviderHealth,
  toRpcHealth,
  troubleOf,
  UNKNOWN_PROVIDER,
} from './providerHealth.ts'
import type { RpcAnswers, RpcCall, RpcEndpoint } from './rpcEndpoint.ts'
import { faultOf, faultSentence, isLost, RpcError, type RpcFault } from './rpcFault.ts'
import { createWebSocketEndpoint } from './webSocketEndpoint.ts'

export interface ProviderOptions {
  /** `rpc-1` … in the order of `RPC_URLS`. */
  readonly name: string
  readonly endpoint: RpcEndpoint
  readonly clock: Clock
  readonly logger: Logger
  /** For the answer to one request. */
  readonly timeoutMs: number
}

/** For the answer to the smallest query, while a larger one is refused. */
const SMALLER_QUERY_MS = 3_000

/**
 * One provider: its wire, its health as far as known, and the limiter that its requests pass through. Logs when it is set aside or comes
 * back.
 */
export class Provider {
  readonly name: string
  readonly #options: ProviderOptions
  readonly #limiter = new Limiter()
  readonly #wire: ProviderWire
  readonly #closing = new AbortController()
  #health = UNKNOWN_PROVIDER
  #reportedHealthy = true
  #reportedRefusal = ''

  constructor(options: ProviderOptions) {
    this.name = options.name
    this.#options = options
    const hasRoom = () => this.#limiter.hasRoom
    const onTooManyCalls = (calls: number) => this.#limiter.update(afterTooManyCalls(this.limits, calls))
    this.#wire = new ProviderWire({ name: options.name, endpoint: options.endpoint, clock: options.clock, hasRoom, onTooManyCalls })
  }

  get health(): ProviderHealth {
    return this.#health
  }

  get limits(): Limits {
    return this.#limiter.limits
  }

  /** Whether it refuses log queries that name no addresses. */
  get endpoint(): RpcEndpoint {
    return this.#options.endpoint
  }

  /**
   * Makes all calls, in as many requests as the limits require, one after the other. With more than `TOGETHER_CALLS` calls, the answers
   * that came before a refused call are kept: a large number of calls might never be answered together.
   *
   * @throws `RpcError`
   */
  async call(calls: readonly RpcCall[], options: ProviderCallOptions = {}): Promise<readonly unknown[]> {
    const answered: unknown[] = []
    let lossesInARow = 0
    while (answered.length < calls.length) {
      try {
        const { smaller = [] } = answered.length === 0 ? options : {}
        const { results, refusal, sentAtMs } = await this.#request(calls.slice(answered.length), { ...options, smaller }, lossesInARow)
        if (results.length > 0 && (refusal === null || calls.length > TOGETHER_CALLS)) {
          answered.push(...results)
          lossesInARow = 0
          options.onAnswered?.(sentAtMs)
        }
        if (refusal !== null) throw refusal
      } catch (error) {
        const fault = faultOf(error)
        if (fault === null || !isLost(fault) || (await options.sendAgain?.(fault, answered.length)) !== true) throw error
        lossesInARow++
      }
    }
    return answered
  }

  /** Makes as many of the calls as one request may hold. */
  #request(calls: readonly RpcCall[], options: ProviderCallOptions, lossesInARow: number): Promise<Sent> {
    const { hasAnother = () => false, timeoutMs = this.#options.timeoutMs, smaller = [] } = options
    return this.#limiter.run(async () => {
      await this.#silence(hasAnother)
      const sent = await this.#wire.sendTogether(calls.slice(0, this.limits.calls.size), Math.min(timeoutMs, this.#options.timeoutMs))
      const { refusal, results, sentAtMs } = sent
      if (results.length > 0) this.#record(afterResponse(this.#health, { sentAtMs, nowMs: this.#now() }))
      if (refusal === null) {
        this.#limiter.update(afterAnswer(this.limits, { calls: sent.calls, sentAtMs }))
        return sent
      }
      const isOfQuery = results.length === 0 && mayBeTooLarge(refusal.fault, lossesInARow + 1)
      const tooLarge = isOfQuery ? await this.#tooLarge(smaller, refusal.fault) : null
      if (tooLarge !== null) return { ...sent, refusal: new RpcError(tooLarge, this.name) }
      this.#refused(refusal.fault, sent)
      return sent
    })
  }

  /** The fault of a query that was refused while a smaller one is answered; `null`: none is. */
  async #tooLarge(smaller: readonly (readonly SmallerQuery[])[], cause: RpcFault): Promise<RpcFault | null> {
    const limit = await exceededLimit(smaller, cause, async call => {
      if (this.#now() < this.limits.silentUntilMs) return false
      const { results, refusal } = await this.#wire.send([call], Math.min(SMALLER_QUERY_MS, this.#options.timeoutMs))
      return refusal === null && results.length === 1
    })
    if (limit === null) return null
    if (cause.kind === 'rate-limited') this.#limiter.update(afterDoubtfulRefusal(this.limits, this.#limiter.inFlight))
    const fault: RpcFault = { kind: 'too-large', limit, cause }
    const words = faultSentence(fault)
    // Numbers differ from query to query.
    const refusal = words.replace(/\d+/g, '')
    this.#options.logger[refusal === this.#reportedRefusal ? 'debug' : 'info'](
      { provider: this.name, cause: words },
      'RPC provider gets smaller log queries',
    )
    this.#reportedRefusal = refusal
    return fault
  }

  /** Waits until the provider may be asked; throws `rate-limited` when that takes too long, or another provider can be asked. */
  async #silence(hasAnother: () => boolean): Promise<void> {
    for (;;) {
      const silenceMs = Math.max(0, this.limits.silentUntilMs - this.#now())
      const isReplaceable = !isUsable(this, this.#now()) && hasAnother()
      if (isReplaceable || silenceMs > MAX_SILENCE_WAIT_MS)
        throw new RpcError({ kind: 'rate-limited', retryAfterMs: silenceMs, text: '' }, this.name)
      if (silenceMs === 0) return
      await this.#options.clock.sleep(silenceMs, this.#closing.signal).catch(() => {
        throw new RpcError({ kind: 'closed' }, this.name)
      })
    }
  }

  #refused(fault: RpcFault, { calls, results, sentAtMs }: Sent): void {
    if (fault.kind === 'rate-limited') {
      const { retryAfterMs } = fault
      const request = { calls, answered: results.length, sentAtMs, inFlight: this.#limiter.inFlight, nowMs: this.#now(), retryAfterMs }
      this.#limiter.update(afterRefusal(this.limits, request))
    }
    // The caller notes the other faults, which may be due to its question.
    if (isLost(fault)) this.failed(fault, sentAtMs)
  }

  /** Notes that the answer to a question is believed. `sentAtMs`: when the last request of the question was sent. */
  believed(sentAtMs: number): void {
    this.#record(afterBelieved(this.#health, sentAtMs))
  }

  /** Notes that it has shown the right chain, and its head's time in Unix seconds. */
  identified(sentAtMs: number, headTimestamp: number): void {
    const head = { timestamp: headTimestamp, seenAtMs: this.#now() }
    this.#record({ ...afterBelieved(this.#health, sentAtMs), chain: 'right', head })
  }

  setBehind(behind: boolean): void {
    if (behind !== this.#health.behind) this.#record({ ...this.#health, behind })
  }

  failed(fault: RpcFault, sentAtMs: number): void {
    if (fault.kind === 'wrong-chain' && this.#health.chain !== 'wrong') {
      const { expected, actual } = fault
      this.#options.logger.error({ provider: this.name, expected, actual }, 'RPC provider serves another chain')
    }
    this.#options.logger.debug({ provider: this.name, cause: faultSentence(fault) }, 'RPC provider has failed')
    this.#record(afterFault(this.#health, fault, { sentAtMs, nowMs: this.#now() }))
  }

  logsAnswered(query: LogQuerySize): void {
    this.#limiter.update(afterLogsAnswer(this.limits, query))
  }

  logsRefused(query: LogQuerySize, limit: LogRefusal): void {
    this.#limiter.update(afterLogsRefusal(this.limits, query, limit))
  }

  report(): RpcHealth {
    return toRpcHealth(this, this.#now())
  }

  close(): void {
    this.#closing.abort()
    this.#wire.close()
  }

  #now(): number {
    return this.#options.clock.nowMs()
  }

  #record(health: ProviderHealth): void {
    this.#health = health
    const { consecutiveFailures } = health
    // A provider that was never asked is not healthy; that is no news.
    if (health.chain === 'unknown' && consecutiveFailures === 0) return
    const { healthy, errorRate } = this.report()
    if (healthy === this.#reportedHealthy) return
    this.#reportedHealthy = healthy
    const { logger } = this.#options
    if (healthy) logger.info({ provider: this.name }, 'RPC provider is healthy')
    else
      logger.warn({ provider: this.name, cause: troubleOf(this, this.#now()), consecutiveFailures, errorRate }, 'RPC provider is set aside')
  }
}

/** The outcome of one request. */
interface Sent extends RpcAnswers {
  /** Whether the refusal is of the request, and not of one of its calls. */
  readonly isWhole: boolean
  readonly calls: number
  readonly sentAtMs: number
}

export interface ProviderWireOptions {
  readonly name: string
  readonly endpoint: RpcEndpoint
  readonly clock: Pick<Clock, 'nowMs'>
  /** Whether one more request may be sent now. */
  readonly hasRoom: () => boolean
  /** Called after a request was refused for having this many calls. */
  readonly onTooManyCalls: (calls: number) => void
}

/** How often it is checked whether a request in flight was lost. */
const LOSS_CHECKS = 10
/** At this check a request is sent again even if no later request was answered. */
const UNPROVEN_LOSS_CHECK = 3
const MAX_SENDS = 4

/** The requests to one provider: each has a time limit, and is sent again when it was lost. */
class ProviderWire {
  readonly #options: ProviderWireOptions
  readonly #sends = new Set<AbortController>()
  /** Requests are numbered in the order in which they are sent. */
  #sent = 0
  #newestAnswered = 0

  constructor(options: ProviderWireOptions) {
    this.#options = options
  }

  /**
   * Sends the calls in one request. If it is refused as a whole, its first call is sent alone: where that is answered and the request is
   * refused once more, it was too many calls, and only the first one is answered.
   */
  async sendTogether(calls: readonly RpcCall[], timeoutMs: number): Promise<Sent> {
    const sent = await this.send(calls, timeoutMs)
    if (calls.length === 1 || !sent.isWhole || sent.refusal === null || isLost(sent.refusal.fault)) return sent
    const alone = await this.send(calls.slice(0, 1), timeoutMs)
    if (alone.refusal !== null) return alone
    const again = await this.send(calls, timeoutMs)
    if (!again.isWhole) return again
    this.#options.onTooManyCalls(calls.length)
    return alone
  }

  /** Sends the calls in one request. */
  async send(calls: readonly RpcCall[], timeoutMs: number): Promise<Sent> {
    const sentAtMs = this.#options.clock.nowMs()
    const request = { calls: calls.length, sentAtMs }
    try {
      return { ...(await this.#hedged(calls, timeoutMs)), isWhole: false, ...request }
    } catch (error) {
      if (error instanceof RpcError) return { results: [], refusal: error, isWhole: true, ...request }
      throw error
    }
  }

  async #hedged(calls: readonly RpcCall[], timeoutMs: number): Promise<RpcAnswers> {
    const { name, endpoint, hasRoom } = this.#options
    const end = new AbortController()
    this.#sends.add(end)
    const timer = setTimeout(() => end.abort(new RpcError({ kind: 'timeout' }, name)), timeoutMs)
    let sentAs = 0
    const send = async () => {
      const number = ++this.#sent
      sentAs = number
      const answers = await endpoint.send(calls, end.signal)
      this.#newestAnswered = Math.max(this.#newestAnswered, number)
      return answers
    }
    try {
      return await hedge(send, {
        everyMs: timeoutMs / LOSS_CHECKS,
        maxSends: MAX_SENDS,
        // Lost: a later request is answered already. A provider that is slow with all requests must not get more of them.
        mayRepeat: check => hasRoom() && (this.#newestAnswered > sentAs || check === UNPROVEN_LOSS_CHECK),
      })
    } finally {
      clearTimeout(timer)
      this.#sends.delete(end)
      // Any send still in flight is a repetition that is no longer needed.
      end.abort(new RpcError({ kind: 'closed' }, name))
    }
  }

  close(): void {
    for (const send of this.#sends) send.abort(new RpcError({ kind: 'closed' }, this.#options.name))
    this.#options.endpoint.close()
  }
}

export interface Hedging {
  /** The time from one check of the request to the next. */
  readonly everyMs: number
  readonly maxSends: number
  /** Whether to send it once more, at the n-th check. */
  readonly mayRepeat: (check: number) => boolean
}

/**
 * Sends a request again while it is not answered: a provider that loses requests would cost the whole time limit for each of them. The
 * first answer or error counts; a timeout counts only when no other send is in flight.
 */
export async function hedge<T>(send: () => Promise<T>, { everyMs, maxSends, mayRepeat }: Hedging): Promise<T> {
  const outcome = Promise.withResolvers<T>()
  let [sends, inFlight, checks] = [0, 0, 0]
  const sendOnce = () => {
    sends++
    inFlight++
    send().then(outcome.resolve, (error: unknown) => {
      inFlight--
      if (inFlight === 0 || faultOf(error)?.kind !== 'timeout') outcome.reject(error)
    })
  }
  sendOnce()
  const timer = setInterval(() => {
    if (sends < maxSends && mayRepeat(++checks)) sendOnce()
  }, everyMs)
  try {
    return await outcome.promise
  } finally {
    clearInterval(timer)
  }
}

/** Holds the limits of one provider, and lets its requests wait until there is room for them. */
export class Limiter {
  #limits: Limits
  #inFlight = 0
  readonly #waiting: (() => void)[] = []

  constructor(limits = UNLIMITED) {
    this.#limits = limits
  }

  get limits(): Limits {
    return this.#limits
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get hasRoom(): boolean {
    return this.#inFlight < Math.floor(this.#limits.concurrency)
  }

  update(limits: Limits): void {
    this.#limits = limits
    this.#admit()
  }

  /** Runs the request when it is its turn, in the order of the calls. */
  async run<T>(request: () => Promise<T>): Promise<T> {
    const admitted = Promise.withResolvers<void>()
    this.#waiting.push(admitted.resolve)
    this.#admit()
    await admitted.promise
    try {
      return await request()
    } finally {
      this.#inFlight--
      this.#admit()
    }
  }

  #admit(): void {
    while (this.hasRoom) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#inFlight++
      next()
    }
  }
}

/** What the caller of a provider decides about a request and learns of it. By default a lost request is not sent again. */
export interface ProviderCallOptions {
  /** Whether another provider can be asked now. Then these calls don't wait while this one asks for silence. */
  readonly hasAnother?: () => boolean
  /** Called after a request was lost, with the number of calls that are answered so far. Waits, and says whether to send it again. */
  readonly sendAgain?: (fault: RpcFault, answered: number) => Promise<boolean>
  /** Called when calls were answered, with the time at which their request was sent. */
  readonly onAnswered?: (sentAtMs: number) => void
  /**
   * Smaller forms of the first call, a log query, as `exceededLimit` takes them: when it has no answer while one of these is answered, its
   * fault is `too-large`. Left out: no call is too large.
   */
  readonly smaller?: readonly (readonly SmallerQuery[])[]
  /** The time limit of one request, if it is shorter than usual. */
  readonly timeoutMs?: number
}

interface CreateProvidersOptions {
  readonly urls: readonly string[]
  readonly logger: Logger
  readonly clock: Clock
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

/** A provider for each URL, in their order. */
export function createProviders({ urls, logger, clock, timeoutMs = 10_000, fetch }: CreateProvidersOptions): Provider[] {
  return urls.map((url, index) => {
    const name = `rpc-${index + 1}`
    const endpoint = /^wss?:/i.test(url)
      ? createWebSocketEndpoint({ name, url, timeoutMs })
      : createHttpEndpoint({ name, url, epochMs: () => clock.epochMs(), fetch })
    return new Provider({ name, endpoint, clock, logger, timeoutMs })
  })
}

export type QueryOptions = Pick<ProviderCallOptions, 'smaller'>

/** One provider, for the time of one question. */
export interface RpcProvider {
  /** `rpc-1` … */
  readonly name: string
  /** The limits that its answers have shown so far. */
  readonly limits: Limits
  /** As `HeaderCheck.check`. */
  checkHeader(header: ChainHeader): Promise<void>
  call(call: RpcCall, options?: QueryOptions): Promise<unknown>
  /**
   * All of them or an error; over HTTP in one request where the provider allows it. Only up to `TOGETHER_CALLS` are answered at about the
   * same time, so that one answer can be checked against another: of more calls, some may be answered seconds later.
   */
  calls(calls: readonly RpcCall[], options?: QueryOptions): Promise<readonly unknown[]>
  /** Notes that it answered a log query of this size in full. */
  logsAnswered(query: LogQuerySize): void
  /** Notes that it refused a log query of this size. */
  logsRefused(query: LogQuerySize, limit: LogRefusal): void
}
