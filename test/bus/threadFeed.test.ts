import { Subject } from 'rxjs'
import { createThreadFeed } from '#bus/threadFeed.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import { useDatabase } from '#test/support/database.ts'
import { feedCases } from './feedCases.ts'

const database = await useDatabase()

feedCases('the indexing thread', database, async site => {
  const blocks = new Subject<CommittedBlock>()
  site.watched.clear()
  site.onCommitted = block => blocks.next(block)
  return createThreadFeed({
    blocks,
    watch: token => void site.watched.add(token),
    unwatch: token => void site.watched.delete(token),
    stop: async () => blocks.complete(),
  })
})
