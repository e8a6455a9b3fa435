import { isHidden } from '#client/browserPage.ts'
import { ClientError } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import { retryAfterMs } from '#client/rest/rest.ts'
import { backoffMs, Timer } from '#client/timers.ts'
import type { Address } from '#domain/address.ts'
import { type Carried, tokensOf } from './carried.ts'
import { openEventStream } from './eventStream.ts'
import { STABLE_MS } from './feedConnection.ts'

/** The pause that the server asks of event streams (`retry: 2000`). */
const RETRY_BASE_MS = 2_000

/** How long a channel has the stream while others wait for it. */
const TURN_MS = 5_000

/**
 * One event stream for what a blocked WebSocket would carry: browsers allow six connections per HTTP/1.1 host, all tabs together, and
 * requests need some. Channels have the stream in turns, as each continues from its position. Without channels a token has it, and all
 * other tokens are polled. A hidden page has none.
 */
export interface Fallback {
  /** Whether updates arrive over streams or polls; `null` while that is unknown. */
  isWorking(): boolean | null
  /** Whether the stream is open and carries it. */
  isOpen(carried: Carried): boolean
  tokensWithoutStream(): readonly Address[]
  serve(carried: ReadonlySet<Carried>): void
  /** Opens the stream anew, since nothing tells whether an open one is alive, unless the server asked for a pause. */
  wake(): void
  /**
   * Reports a poll. The state follows from the newest one.
   *
   * @param isSuccess - `null`: the poller has stopped
   */
  polled(isSuccess: boolean | null, poller: object): void
}

interface FallbackEvents {
  readonly onState: () => void
  /** The server refused the filters of a channel. */
  readonly onRefused: (carried: Carried, error: ClientError) => void
}

export function createFallback(context: ClientContext, { onState, onRefused }: FallbackEvents): Fallback {
  const { base, timers, random, onError } = context
  let served: ReadonlySet<Carried> = new Set()
  /** What the stream is for; `null`: there is none. */
  let current: Carried | null = null
  let last: Carried | null = null
  const stream = {
    close() {},
    isOpen: false,
    /** Whether it has brought anything. */
    isHeard: false,
    openedAt: 0,
    /** When the next one may be opened. */
    notBefore: 0,
  }
  let failures = 0
  /** Whether the newest stream was opened; `null`: not known yet. */
  let isStreaming: boolean | null = null
  /** False after the server asked for a pause. */
  let mayHurry = true
  /** Runs out before the stream is opened, and at the end of a turn. */
  const timer = new Timer(timers)
  /** Whether the newest poll of each poller succeeded. The newest of all comes last. */
  const polls = new Map<object, boolean>()

  const carries = (carried: Carried) => stream.isOpen && carried === current
  const tokensWithoutStream = () => tokensOf([...served].filter(carried => !carries(carried)))

  /** @param step - 1: it is the next one's turn */
  function follow(step: 0 | 1): void {
    const channels = [...served].filter(({ isChannel }) => isChannel)
    const wanted = channels.length > 0 ? channels : [...served]
    const at = wanted.indexOf(last as Carried)
    const next = wanted[at < 0 ? 0 : (at + step) % wanted.length] ?? null
    if (next === current) return
    leave()
    current = last = next
    if (next !== null) open(next)
  }

  function leave(): void {
    timer.stop()
    stream.close()
    Object.assign(stream, { close() {}, isOpen: false, isHeard: false })
    current = null
  }

  function open(carried: Carried): void {
    const pauseMs = stream.notBefore - timers.now()
    if (pauseMs > 0) return timer.start(pauseMs, () => open(carried))
    stream.close = openEventStream(base + carried.streamPath(), context, {
      onOpen() {
        stream.isOpen = isStreaming = true
        stream.openedAt = timers.now()
        timer.start(TURN_MS, endTurn)
        onState()
      },
      onMessage(message) {
        stream.isHeard = true
        if (message.type === 'token.update' || message.type === 'channel') carried.receive(message, 'eventStream')
        else if (message.type === 'invalid') onError(message.error)
      },
      onEnd: refusal => ended(carried, refusal),
    })
  }

  function endTurn(): void {
    timer.start(TURN_MS, endTurn)
    if (isHidden()) leave()
    else if (stream.isHeard && current?.isChannel) follow(1)
  }

  function ended(carried: Carried, refusal: Response | null): void {
    const status = refusal?.status
    if (stream.isOpen && timers.now() - stream.openedAt >= STABLE_MS) failures = 0
    leave()
    if (status === 400) onRefused(carried, new ClientError('rejected', 'filters refused', { status }))
    else {
      const askedMs = refusal && retryAfterMs(refusal.headers)
      mayHurry = askedMs === null
      stream.notBefore = timers.now() + (askedMs ?? 0) + backoffMs(failures++, random, RETRY_BASE_MS)
      isStreaming = false
    }
    follow(1)
    onState()
  }

  return {
    isWorking() {
      if (served.size === 0) return false
      const isPolled = [...polls.values()].at(-1)
      return isPolled || isStreaming || (isPolled ?? isStreaming)
    },
    isOpen: carries,
    tokensWithoutStream,
    serve(carried) {
      served = carried
      if (carried.size === 0) {
        polls.clear()
        isStreaming = null
      }
      follow(0)
    },
    wake() {
      if (mayHurry) {
        leave()
        stream.notBefore = 0
      }
      follow(0)
    },
    polled(isSuccess, poller) {
      if (served.size === 0) return
      polls.delete(poller)
      if (isSuccess !== null) polls.set(poller, isSuccess)
      onState()
    },
  }
}
