import { setTimeout as pause } from 'node:timers/promises'
import { startBareServer } from './bareServer.ts'
import { feedBlock } from './feed.ts'
import type { FeedServer } from './feedServer.ts'
import { monotonicMs } from './monotonic.ts'
import type { CommitReport, ServerCalls } from './serverCalls.ts'
import { startTokenwireServer } from './tokenwireServer.ts'
import { answerCalls } from './worker.ts'

let server: FeedServer | null = null

answerCalls<ServerCalls>({
  listen: async kind => {
    server = await (kind === 'tokenwire' ? startTokenwireServer() : startBareServer(kind))
    return { port: server.port }
  },
  feed: async ({ firstBlock, blocks, tokens, everyMs }) => {
    if (server === null) throw new Error('feed before listen')
    const { prepare } = server
    // What a commit hands over exists before the commit is complete, so it is made before the clock starts.
    const deliveries = Array.from({ length: blocks }, (_, index) => prepare(feedBlock(firstBlock + index, tokens)))
    const commits: CommitReport[] = []
    const begunAtMs = monotonicMs()
    const cpuBefore = process.cpuUsage()
    for (const [index, deliver] of deliveries.entries()) {
      const dueAtMs = begunAtMs + index * everyMs
      if (index > 0) await pause(Math.max(0, dueAtMs - monotonicMs()))
      const committedAtMs = monotonicMs()
      deliver()
      // The gateway flushes in a microtask that is in the queue by now, before the one that this makes.
      await Promise.resolve()
      commits.push({ committedAtMs, lateMs: committedAtMs - dueAtMs, turnMs: monotonicMs() - committedAtMs })
    }
    const { user, system } = process.cpuUsage(cpuBefore)
    return { commits, cpuMs: (user + system) / 1_000 }
  },
})
