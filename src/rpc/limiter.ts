import { type Limits, UNLIMITED } from './limits.ts'

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
