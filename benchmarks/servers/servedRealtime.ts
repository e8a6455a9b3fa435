import { type Logger, pino } from 'pino'
import type { Registry } from '#actors/registry.ts'
import { type Admission, createAdmission } from '#gateway/admission/admission.ts'
import { createRealtime } from '#gateway/realtime/realtime.ts'
import { createTestCandles, createTestChannels, createTestLists, createTestRegistry } from '#test/support/actors.ts'
import { ETH_USD } from './feed.ts'
import { LIMITS } from './limits.ts'
import { trackTurns } from './trackTurns.ts'

export interface ServedRealtime {
  readonly logger: Logger
  readonly registry: Registry
  readonly admission: Admission
  readonly realtime: ReturnType<typeof createRealtime>
  /** Resolves when everything is written as far as the sockets accept it. */
  written(): Promise<void>
}

/** The real actors, outboxes and sockets, without a database, and without channels, lists and candles that have anything to send. */
export function createServedRealtime(now: () => number, watching: Parameters<typeof createTestRegistry>[0] = {}): ServedRealtime {
  const logger = pino({ level: 'error' }, pino.destination(2))
  const registry = createTestRegistry({ ethUsd: () => ETH_USD, logger, now, ...watching })
  const admission = createAdmission(LIMITS, logger)
  const { yieldTo, written } = trackTurns()
  const realtime = createRealtime({
    config: LIMITS,
    admission,
    channels: createTestChannels(),
    lists: createTestLists(),
    candles: createTestCandles(),
    registry,
    logger,
    now,
    epochMs: () => Date.now(),
    yieldTo,
  })
  return { logger, registry, admission, realtime, written }
}
