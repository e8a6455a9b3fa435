/** More are not remembered: the longest-known one is asked again early then. */
const MOST_HOSTS = 1_000

/** Which hosts, by some name, are left alone for a while. */
export class HostPauses {
  readonly #until = new Map<string, number>()

  /** @param untilMs of the clock that is given to `leftMs` */
  pause(host: string, untilMs: number): void {
    this.#until.delete(host)
    this.#until.set(host, untilMs)
    const [oldest] = this.#until.keys()
    if (oldest !== undefined && this.#until.size > MOST_HOSTS) this.#until.delete(oldest)
  }

  /** Milliseconds until the host may be asked; 0: now. */
  leftMs(host: string, nowMs: number): number {
    const until = this.#until.get(host)
    if (until === undefined) return 0
    if (until > nowMs) return until - nowMs
    this.#until.delete(host)
    return 0
  }
}
