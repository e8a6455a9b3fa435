import type { Clock } from '#clock'
import { hedge } from './hedge.ts'
import type { RpcAnswers, RpcCall, RpcEndpoint } from './rpcEndpoint.ts'
import { isLost, RpcError } from './rpcFault.ts'

/** The outcome of one request. */
export interface Sent extends RpcAnswers {
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
export class ProviderWire {
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
