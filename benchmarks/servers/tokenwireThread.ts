import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type CallPort, createCalls } from '#async/calls.ts'
import { createThreadFeed } from '#bus/threadFeed.ts'
import { monotonicMs as now } from '#clock'
import { createChildApps } from '#gateway/listening/childApps.ts'
import { createBlockReceiver } from '#worker/blockReceiver.ts'
import type { ToReceiver } from '#worker/messages.ts'
import { createServedRealtime } from './servedRealtime.ts'
import type { BenchmarkThread } from './tokenwireThreads.ts'

/* One of the gateway threads of `tokenwireThreads.ts`: the real actors, outboxes and sockets. */

const blocks = workerData as MessagePort
const receiver = createBlockReceiver(message => blocks.postMessage(message), now)
blocks.on('message', (message: ToReceiver) => receiver.hear(message))
const feed = createThreadFeed({ ...receiver, stop: async () => undefined })
const { registry, realtime, written } = createServedRealtime(now, { onActivated: feed.watch, onPassivated: feed.unwatch })
const apps = createChildApps(null, app => realtime.register(app, ''))
feed.start({ ...registry, changed: () => undefined })

let arrived = 0
const arrivals = new Map<number, () => void>()
receiver.blocks.subscribe(() => arrivals.get(++arrived)?.())

const ours: BenchmarkThread = {
  descriptor: apps.descriptor,
  written: async count => {
    if (arrived < count) await new Promise<void>(resolve => arrivals.set(count, resolve))
    await written()
  },
}
createCalls(parentPort as CallPort, ours as never)
