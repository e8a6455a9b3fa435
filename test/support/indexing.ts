import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { asyncScheduler, type SchedulerLike, Subject, type Subscription } from 'rxjs'
import { createChainSource } from '#chain/chainSource.ts'
import type { HeadHint } from '#chain/heads.ts'
import type { Confirmations } from '#config'
import type { Hex } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { createSync, type Sync, type Tuning } from '#sync/sync.ts'
import { createLogLines, type LogLines } from './logLines.ts'
import { createManualClock, type ManualClock } from './manualClock.ts'
import type { MemoryIndex } from './memoryCommitter.ts'
import { startPatience } from './patience.ts'
import { createSimulatedChain } from './simulatedChain.ts'

/** A scheduler whose waits end in the next turn of the event loop. */
const withoutWaiting: SchedulerLike = {
  now: () => 0,
  schedule: (work, _delay, state) => asyncScheduler.schedule(work as Parameters<typeof asyncScheduler.schedule>[0], 0, state),
}

/** The same, on a clock that moves on by every wait. */
function passingTime(clock: ManualClock): SchedulerLike {
  return {
    now: () => clock.nowMs(),
    schedule: (work, delay, state) => {
      clock.wait(delay ?? 0)
      return asyncScheduler.schedule(work as Parameters<typeof asyncScheduler.schedule>[0], 0, state)
    },
  }
}

export interface RunningSync {
  readonly sync: Sync
  readonly emitted: CommittedBlock[]
  readonly log: LogLines
  readonly clock: ManualClock
  /** Whether `blocks` has completed. */
  completed(): boolean
  /** Hints at new heads until the condition holds. */
  until(condition: () => boolean, what: string): Promise<void>
  /** Hints at a new head, and waits, by default 1 ms, so that the database gets the processor. */
  hint(wait?: number | (() => Promise<void>)): Promise<void>
  /** Hints at a new head, and waits until nothing more happens. */
  settle(): Promise<void>
  readonly subscription: Subscription
}

export interface RunOptions {
  readonly rpc: Pick<
    Rpc,
    'ask' | 'askEach' | 'second' | 'headers' | 'preferred' | 'health' | 'troubles' | 'lastAnswerAtMs' | 'subscribeHeads'
  >
  readonly index: Pick<MemoryIndex, 'committer' | 'watchlist'>
  readonly confirmations?: Confirmations
  /** Default 0: the first reorg ends indexing. */
  readonly maxReorgDepth?: number
  /** Default: that of every simulated chain. */
  readonly genesisHash?: Hex
  readonly tuning?: Partial<Tuning>
  /** The clock of `rpc`. Default: a new one, by which every answer is recent. */
  readonly clock?: ManualClock
}

/** Synchronises an index with a chain without waiting anywhere. */
export function runSync(options: RunOptions): RunningSync {
  const { rpc, index, confirmations = 0, maxReorgDepth = 0, clock = createManualClock(), tuning = {} } = options
  const { genesisHash = createSimulatedChain().at(0).header.hash } = options
  const hints = new Subject<HeadHint>()
  /** Pushes a head in half of the cases, and polls in the other half. */
  let looks = 0
  const look = () => hints.next(looks++ % 2 === 0 ? 'pushed' : 'due')
  const log = createLogLines()
  const { committer, watchlist } = index
  const source = createChainSource({ rpc })
  const sync = createSync({
    source,
    committer,
    watchlist,
    confirmations,
    maxReorgDepth,
    genesisHash,
    hints,
    tuning,
    rpc: options.clock === undefined ? { ...rpc, lastAnswerAtMs: () => clock.nowMs() } : rpc,
    logger: log.logger,
    time: { clock, scheduler: options.clock === undefined ? withoutWaiting : passingTime(options.clock), random: () => 1 },
  })
  const emitted: CommittedBlock[] = []
  let completed = false
  const subscription = sync.blocks.subscribe({
    next: block => emitted.push(block),
    complete: () => {
      completed = true
    },
  })
  return {
    sync,
    emitted,
    log,
    clock,
    subscription,
    completed: () => completed,
    until: async (condition, what) => {
      const patience = startPatience()
      while (!condition()) {
        if (patience.isOver()) throw new Error(`waited in vain until ${what}`)
        look()
        await nextTurn()
      }
    },
    hint: async (wait = 1) => {
      look()
      await (typeof wait === 'number' ? pause(wait) : wait())
    },
    settle: async () => {
      look()
      for (let round = 0; round < 10; round++) {
        // An idle machine takes the turns in less than the millisecond after which the next timer is due.
        await pause(1)
        for (let turn = 0; turn < 20; turn++) await nextTurn()
      }
    },
  }
}
