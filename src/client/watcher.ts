import type { Held } from './held.ts'
import type { TokenwireError } from './tokenwireError.ts'

/** One call of `watch`, as the feed sees it. Nothing throws. */
export interface Watcher {
  deliver(held: Held): void
  /** Nothing comes any more; `null`: because the client was closed. */
  end(error: TokenwireError | null): void
}
