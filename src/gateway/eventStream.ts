import { type ConnectionDeps, ConnectionSet, SHUTTING_DOWN } from './connections.ts'
import { EventStreamConnection } from './eventStreamConnection.ts'
import { connectionRefused, type Problem } from './problem.ts'
import type { EventStreamRequest } from './subscriptionPorts.ts'

/** All event streams of the process. */
export class EventStreams {
  readonly #deps: ConnectionDeps
  readonly #open = new ConnectionSet()

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
  }

  /** Opens a stream for a request that passed all other checks. A problem: nothing was written, and the caller answers with it. */
  open(request: EventStreamRequest): Problem | null {
    if (request.isAborted()) return null
    if (this.#open.isClosing) return SHUTTING_DOWN
    const admitted = this.#deps.admission.openConnection(request.clientAddress)
    if (!admitted.ok) return connectionRefused(admitted)
    const connection = new EventStreamConnection(request, this.#deps, closed => {
      this.#open.remove(closed)
      admitted.release()
    })
    this.#open.add(connection)
    connection.open()
    return null
  }

  sweep(nowMs: number): void {
    this.#open.sweep(nowMs)
  }

  /** Refuses new ones and ends the open ones; `deadline` ends the waiting for slow readers. */
  close(deadline: Promise<void>): Promise<void> {
    return this.#open.close(deadline)
  }
}
