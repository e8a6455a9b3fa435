import { MessageChannel, Worker } from 'node:worker_threads'
import { type Caller, createCalls } from '#async/calls.ts'
import { monotonicMs as now } from '#clock'
import { type AppDescriptor, createAcceptor } from '#gateway/listening/acceptor.ts'
import { blockOf } from '#test/support/actors.ts'
import { createAudience } from '#worker/audience.ts'
import type { FromReceiver, ThreadView } from '#worker/messages.ts'
import type { FeedServer } from './feedServer.ts'

export type BenchmarkThread = {
  descriptor(): AppDescriptor
  /** Resolves when so many blocks have arrived and are written as far as the sockets accept them. */
  written(blocks: number): Promise<void>
}

/** Gateway threads, fed by this thread as the indexing thread feeds them: encoded once, and the connections handed out in turns. */
export async function startTokenwireThreads(count: number): Promise<FeedServer> {
  const audience = createAudience()
  const threads: Caller<BenchmarkThread>[] = []
  for (let index = 0; index < count; index++) {
    const { port1, port2 } = new MessageChannel()
    const hear = audience.add(message => port1.postMessage(message))
    port1.on('message', (message: FromReceiver) => hear(message))
    const worker = new Worker(new URL('./tokenwireThread.ts', import.meta.url), { workerData: port2, transferList: [port2] })
    threads.push(createCalls<BenchmarkThread>(worker, {}))
  }
  const acceptor = createAcceptor(null)
  acceptor.hand(await Promise.all(threads.map(call => call('descriptor'))))
  const { port } = await acceptor.listen('127.0.0.1', 0)
  let blocks = 0
  return {
    port,
    prepare: snapshots => {
      const block = blockOf(...snapshots)
      return () => {
        blocks++
        audience.committed({ ...block, completedAtMs: now() }, {} as ThreadView)
      }
    },
    written: async () => {
      await Promise.all(threads.map(call => call('written', blocks)))
    },
    // The process ends with its threads.
    close: async () => undefined,
  }
}
