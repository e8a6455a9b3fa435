import { Registry } from '#actors/registry.ts'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'

/* Loaded into `npm start` before it begins (`--import`): it tells the process that started it of every block that reaches the actors. */

export interface ObservedCommit {
  readonly type: 'committed'
  readonly block: number
  /** When the commit was complete, on the machine's monotonic clock. */
  readonly completedAtMs: number
  readonly sequences: readonly number[]
}

const { dispatch } = Registry.prototype
Registry.prototype.dispatch = function (block) {
  const completedAtMs = monotonicMs() - (performance.now() - block.completedAtMs)
  dispatch.call(this, block)
  const commit: ObservedCommit = {
    type: 'committed',
    block: block.number,
    completedAtMs,
    sequences: block.tokens.map(({ token }) => token.sequence),
  }
  // When the updates are written.
  setImmediate(() => process.send?.(commit))
}
