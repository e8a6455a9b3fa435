import { MessageChannel } from 'node:worker_threads'
import { createThreadFeed } from '#bus/blockFeed.ts'
import { monotonicMs } from '#clock'
import { useDatabase } from '#test/support/database.ts'
import { createBlockSender } from '#worker/blockSender.ts'
import type { FromReceiver, ThreadView, ToReceiver } from '#worker/messages.ts'
import { createBlockReceiver } from '#worker/startIndexing.ts'
import { feedCases } from './feedCases.ts'

const database = await useDatabase()

feedCases('the indexing thread', database, async site => {
  const { port1, port2 } = new MessageChannel()
  const sender = createBlockSender(message => port1.postMessage(message))
  site.isWatched = sender.isWatched
  site.onCommitted = block => sender.committed(block, {} as ThreadView)
  const receiver = createBlockReceiver(message => port2.postMessage(message), monotonicMs)
  port1.on('message', (message: FromReceiver) => sender.receive(message))
  port2.on('message', (message: ToReceiver) => receiver.receive(message))
  return createThreadFeed({ ...receiver, stop: async () => port1.close() })
})
