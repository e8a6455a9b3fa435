import type { WatchedState } from '#actors/states/watchedState.ts'
import type { CandleWindow } from './candleWindow.ts'

/** The candles that a client is sent: all from the first changed one to the newest. */
export class CandleState implements WatchedState<CandleState> {
  readonly sequence: number
  readonly kind = ''
  readonly rest = null
  readonly window: CandleWindow
  /** The Unix seconds from which on the client's candles are replaced; 0: all of them are. */
  readonly from: number
  #fields: string | null = null
  #whole: CandleState | null = null

  /** @param from becomes 0 if the window does not reach back to this time */
  constructor(sequence: number, window: CandleWindow, from: number) {
    const [oldest] = window.candles
    this.sequence = sequence
    this.window = window
    this.from = window.isWhole || (oldest !== undefined && oldest.time <= from) ? from : 0
  }

  get fields(): string {
    if (this.#fields === null) {
      const texts = this.window.candles.filter(({ time }) => time >= this.from).map(({ text }) => text)
      this.#fields = `"from":${this.from},"data":[${texts.join(',')}]`
    }
    return this.#fields
  }

  get whole(): CandleState {
    if (this.from === 0) return this
    this.#whole ??= new CandleState(this.sequence, this.window, 0)
    return this.#whole
  }

  replacing(unsent: CandleState): CandleState {
    if (unsent.from >= this.from) return this
    return unsent.from === 0 ? this.whole : new CandleState(this.sequence, this.window, unsent.from)
  }
}
