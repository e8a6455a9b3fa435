import type { Logger } from 'pino'
import type { Clock } from '#clock'
import type { RpcHealth } from '#resources/health.ts'
import { exceededLimit, mayBeTooLarge, type SmallerQuery } from './exceededLimit.ts'
import { Limiter } from './limiter.ts'
import {
  afterAnswer,
  afterDoubtfulRefusal,
  afterLogsAnswer,
  afterLogsRefusal,
  afterRefusal,
  afterTooManyCalls,
  type Limits,
  type LogQuerySize,
  type LogRefusal,
  MAX_SILENCE_WAIT_MS,
  TOGETHER_CALLS,
} from './limits.ts'
import type { ProviderCallOptions } from './providerCallOptions.ts'
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
import { ProviderWire, type Sent } from './providerWire.ts'
import type { RpcCall, RpcEndpoint } from './rpcEndpoint.ts'
import { faultOf, faultSentence, isLost, RpcError, type RpcFault } from './rpcFault.ts'

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
  get addressRequired(): boolean {
    return this.#now() < this.limits.addressRequiredUntilMs
  }

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

  logsRefused(query: LogQuerySize, refusal: LogRefusal): void {
    this.#limiter.update(afterLogsRefusal(this.limits, query, refusal, this.#now()))
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
