import type { Logger } from 'pino'
import type { Clock } from '#clock'
import type { RpcHealth } from '#resources/health.ts'
import { hedge } from './hedge.ts'
import { Limiter } from './limiter.ts'
import {
  afterAnswer,
  afterLogsAnswer,
  afterLogsRefusal,
  afterRefusal,
  afterTooManyCalls,
  type Limits,
  type LogQuerySize,
  TOGETHER_CALLS,
} from './limits.ts'
import type { LogLimit } from './logLimit.ts'
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
import type { RpcAnswers, RpcCall, RpcEndpoint } from './rpcEndpoint.ts'
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

interface Sent extends RpcAnswers {
  readonly sentAtMs: number
}

/** The longest wait for a provider that asked for silence; callers have longer waits of their own. */
export const MAX_SILENCE_WAIT_MS = 30_000
/** How often it is checked whether a request in flight was lost. */
const LOSS_CHECKS = 10
/** At this check a request is sent again even if no later request was answered. */
const UNPROVEN_LOSS_CHECK = 3
const MAX_SENDS = 4

/**
 * One provider: its wire, its health as far as known, and the limiter that its requests pass through. Logs when it is set aside or comes
 * back.
 */
export class Provider {
  readonly name: string
  readonly #options: ProviderOptions
  readonly #limiter = new Limiter()
  readonly #closing = new AbortController()
  readonly #sends = new Set<AbortController>()
  /** Requests are numbered in the order in which they are sent. */
  #sent = 0
  #newestAnswered = 0
  #health = UNKNOWN_PROVIDER
  #reportedHealthy = true

  constructor(options: ProviderOptions) {
    this.name = options.name
    this.#options = options
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
   * that came before a refused call are kept: so many calls might never be answered together.
   *
   * @throws `RpcError`
   */
  async call(calls: readonly RpcCall[], options: ProviderCallOptions = {}): Promise<readonly unknown[]> {
    const answered: unknown[] = []
    while (answered.length < calls.length) {
      try {
        const { results, refusal, sentAtMs } = await this.#request(calls.slice(answered.length), options)
        if (results.length > 0 && (refusal === null || calls.length > TOGETHER_CALLS)) {
          answered.push(...results)
          options.onAnswered?.(sentAtMs)
        }
        if (refusal !== null) throw refusal
      } catch (error) {
        const fault = faultOf(error)
        if (fault === null || !isLost(fault) || (await options.sendAgain?.(fault, answered.length)) !== true) throw error
      }
    }
    return answered
  }

  /** Makes as many of the calls as one request may hold. The results are empty when the provider refuses that many calls. */
  #request(
    calls: readonly RpcCall[],
    { hasAnother = () => false, timeoutMs = Number.POSITIVE_INFINITY }: ProviderCallOptions,
  ): Promise<Sent> {
    return this.#limiter.run(async () => {
      await this.#silence(hasAnother)
      const sent = calls.slice(0, this.limits.calls.size)
      const sentAtMs = this.#now()
      try {
        const answers = await this.#send(sent, Math.min(timeoutMs, this.#options.timeoutMs))
        if (answers.results.length > 0) this.#record(afterResponse(this.#health, { sentAtMs, nowMs: this.#now() }))
        if (answers.refusal === null) this.#limiter.update(afterAnswer(this.limits, { calls: sent.length, sentAtMs }))
        else this.#refused(answers.refusal.fault, { calls: sent.length, answered: answers.results.length, sentAtMs })
        return { ...answers, sentAtMs }
      } catch (error) {
        const fault = faultOf(error)
        if (fault !== null && isLost(fault)) this.failed(fault, sentAtMs)
        if (fault?.kind !== 'batch-too-large') throw error
        if (sent.length === 1) throw new RpcError({ kind: 'node', code: 0, text: 'one call is too many for it' }, this.name)
        this.#limiter.update(afterTooManyCalls(this.limits, sent.length))
        return { results: [], refusal: null, sentAtMs }
      }
    })
  }

  /** Waits until the provider may be asked; throws `rate-limited` when that takes too long, or another provider can be asked. */
  async #silence(hasAnother: () => boolean): Promise<void> {
    for (;;) {
      const silenceMs = Math.max(0, this.limits.silentUntilMs - this.#now())
      const isReplaceable = !isUsable(this, this.#now()) && hasAnother()
      if (isReplaceable || silenceMs > MAX_SILENCE_WAIT_MS) throw new RpcError({ kind: 'rate-limited', retryAfterMs: silenceMs }, this.name)
      if (silenceMs === 0) return
      await this.#options.clock.sleep(silenceMs, this.#closing.signal).catch(() => {
        throw new RpcError({ kind: 'closed' }, this.name)
      })
    }
  }

  async #send(calls: readonly RpcCall[], timeoutMs: number): Promise<RpcAnswers> {
    const { endpoint } = this.#options
    const end = new AbortController()
    this.#sends.add(end)
    const timer = setTimeout(() => end.abort(new RpcError({ kind: 'timeout' }, this.name)), timeoutMs)
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
        mayRepeat: check => this.#limiter.hasRoom && (this.#newestAnswered > sentAs || check === UNPROVEN_LOSS_CHECK),
      })
    } finally {
      clearTimeout(timer)
      this.#sends.delete(end)
      // Any send still in flight is a repetition that is no longer needed.
      end.abort(new RpcError({ kind: 'closed' }, this.name))
    }
  }

  #refused(fault: RpcFault, request: { readonly calls: number; readonly answered: number; readonly sentAtMs: number }): void {
    const retryAfterMs = fault.kind === 'rate-limited' ? fault.retryAfterMs : null
    this.#limiter.update(afterRefusal(this.limits, { ...request, inFlight: this.#limiter.inFlight, nowMs: this.#now(), retryAfterMs }))
    this.failed(fault, request.sentAtMs)
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

  logsRefused(query: LogQuerySize, limit: LogLimit): void {
    this.#limiter.update(afterLogsRefusal(this.limits, query, limit, this.#now()))
  }

  report(): RpcHealth {
    return toRpcHealth(this, this.#now())
  }

  close(): void {
    this.#closing.abort()
    for (const send of this.#sends) send.abort(new RpcError({ kind: 'closed' }, this.name))
    this.#options.endpoint.close()
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
