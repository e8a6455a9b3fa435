import type { ChainKind } from './world/chain.ts'
import type { World, WorldOptions } from './world/world.ts'

export type Group = 'crash recovery' | 'reorgs' | 'RPC faults' | 'data' | 'head latency' | 'further' | 'one of two providers lies'

/** What a scenario's run has at hand. */
export interface Rig {
  /** The kind of chain of this run. */
  readonly kind: ChainKind
  /** Whether waits are as long as publicly. */
  readonly full: boolean
  /** Differs between runs. */
  readonly seed: number
  /** A world of its own, closed at the end of the run. */
  world(options?: WorldOptions): Promise<World>
  /** Has something closed at the end of the run, before the worlds. */
  closing(close: () => Promise<unknown>): void
  /** Waits that many seconds of the public durations: shortened unless `RELIABILITY_FULL=true`. */
  lasting(seconds: number): Promise<void>
  /** The check holds in this run. @param figure what was measured, such as `resumes after 2.1 s` */
  passed(check: string, figure?: string): void
}

/** One course of events and the checks that it decides: a check holds when `run` says so, and no other way. */
export interface Scenario {
  readonly group: Group
  readonly name: string
  readonly checks: readonly string[]
  /** Nothing else may run meanwhile: it measures time. */
  readonly alone?: boolean
  run(rig: Rig): Promise<void>
}

export const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`
