import { MessageChannel } from 'node:worker_threads'
import { createThreadFeed } from '#bus/threadFeed.ts'
import { monotonicMs } from '#clock'
import { useDatabase } from '#test/support/database.ts'
import { createAudience } from '#worker/audience.ts'
import { type BlockReceiver, createBlockReceiver } from '#worker/blockReceiver.ts'
import type { FromReceiver, ThreadView, ToReceiver } from '#worker/messages.ts'
import { feedCases } from './feedCases.ts'

const database = await useDatabase()

/* One of three gateway threads. What the others watch is in the blocks, and must not be passed on here. */

feedCases('the indexing thread', database, async site => {
  const audience = createAudience()
  site.isWatched = audience.isWatched
  site.onCommitted = block => audience.committed(block, {} as ThreadView)
  const connect = (): { receiver: BlockReceiver; close(): void } => {
    const { port1, port2 } = new MessageChannel()
    const receiver = createBlockReceiver(message => port2.postMessage(message), monotonicMs)
    const hear = audience.add(message => port1.postMessage(message))
    port1.on('message', (message: FromReceiver) => hear(message))
    port2.on('message', (message: ToReceiver) => receiver.hear(message))
    return { receiver, close: () => port1.close() }
  }
  const threads = [connect(), connect(), connect()] as const
  const [, second, { receiver: third }] = threads
  const others = [createThreadFeed({ ...second.receiver, stop: async () => undefined }), third]
  for (const other of others) for (const token of [site.alpha, site.beta]) other.watch(token)
  return createThreadFeed({
    ...threads[0].receiver,
    stop: async () => {
      for (const { close } of threads) close()
    },
  })
})
