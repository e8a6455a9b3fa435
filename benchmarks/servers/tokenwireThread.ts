import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { pino } from 'pino'
import { type CallPort, createCalls } from '#async/calls.ts'
import { createThreadFeed } from '#bus/threadFeed.ts'
import { monotonicMs as now } from '#clock'
import { createAdmission } from '#gateway/admission.ts'
import { createChildApps } from '#gateway/childApps.ts'
import { createRealtime } from '#gateway/realtime.ts'
import { createTestCandles, createTestChannels, createTestLists, createTestRegistry } from '#test/support/actors.ts'
import { createBlockReceiver } from '#worker/blockReceiver.ts'
import type { ToReceiver } from '#worker/messages.ts'
import { ETH_USD } from './feed.ts'
import { LIMITS } from './limits.ts'
import type { BenchmarkThread } from './tokenwireThreads.ts'
import { trackTurns } from './trackTurns.ts'

/* One of the gateway threads of `tokenwireThreads.ts`: the real actors, outboxes and sockets. */

const blocks = workerData as MessagePort
const logger = pino({ level: 'error' }, pino.destination(2))
const receiver = createBlockReceiver(message => blocks.postMessage(message), now)
blocks.on('message', (message: ToReceiver) => receiver.hear(message))
const feed = createThreadFeed({ ...receiver, stop: async () => undefined })
const registry = createTestRegistry({ ethUsd: () => ETH_USD, logger, now, onActivated: feed.watch, onPassivated: feed.unwatch })
const admission = createAdmission(LIMITS, logger)
const turns = trackTurns()
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
  yieldTo: turns.yieldTo,
})
const apps = createChildApps(null, app => realtime.register(app, ''))
feed.start({ ...registry, changed: () => undefined })

let arrived = 0
const arrivals = new Map<number, () => void>()
receiver.blocks.subscribe(() => arrivals.get(++arrived)?.())

const ours: BenchmarkThread = {
  descriptor: apps.descriptor,
  written: async count => {
    if (arrived < count) await new Promise<void>(resolve => arrivals.set(count, resolve))
    await turns.written()
  },
}
createCalls(parentPort as CallPort, ours as never)
