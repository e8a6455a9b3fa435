import { setTimeout as pause } from 'node:timers/promises'
import { monotonicMs } from '#benchmarks/harness/monotonic.ts'
import { answerCalls } from '#benchmarks/harness/worker.ts'
import { feedBlock } from './feed.ts'
import type { FeedServer, ServerKind } from './feedServer.ts'
import { deltasInTurn, framesOf } from './frames.ts'
import type { CommitReport, ServerCalls } from './serverCalls.ts'

const START: Readonly<Record<ServerKind, () => Promise<FeedServer>>> = {
  tokenwire: async () => (await import('./tokenwire.ts')).startTokenwire(),
  uws: async () => (await import('./uws.ts')).startUws(framesOf),
  'uws, deltas': async () => (await import('./uws.ts')).startUws(deltasInTurn()),
  ws: async () => (await import('./ws.ts')).startWs(),
  'socket.io': async () => (await import('./socketIo.ts')).startSocketIo(),
}

let server: FeedServer | null = null
let deliveries: (() => void)[] = []

function running(): FeedServer {
  if (server === null) throw new Error('nothing listens yet')
  return server
}

/** Calls are executed one after the other. */
let committing: Promise<unknown> = Promise.resolve()

async function commit({ count, everyMs }: Parameters<ServerCalls['commit']>[0]): Promise<readonly CommitReport[]> {
  const due = deliveries.splice(0, count)
  if (due.length < count) throw new Error(`${count} blocks are to be committed, ${due.length} are prepared`)
  const { written } = running()
  const commits: CommitReport[] = []
  const begunAtMs = monotonicMs()
  for (const [index, deliver] of due.entries()) {
    const dueAtMs = begunAtMs + index * everyMs
    const earlyMs = dueAtMs - monotonicMs()
    if (index > 0) await pause(Math.max(0, earlyMs))
    const beginsAtMs = monotonicMs()
    deliver()
    // The gateway flushes in a microtask that is already queued, so this one runs after it.
    await Promise.resolve()
    // At full speed nothing should be conflated: the next commit waits until this one is written.
    if (everyMs === 0) await written?.()
    // Time that the server still spends on the previous block counts; the timer's own delay does not.
    commits.push({ committedAtMs: index > 0 && earlyMs < 0 ? dueAtMs : beginsAtMs })
  }
  return commits
}

answerCalls<ServerCalls>({
  listen: async kind => {
    server = await START[kind]()
    return { port: server.port }
  },
  prepare: ({ firstBlock, blocks, ...of }) => {
    const { prepare } = running()
    deliveries = Array.from({ length: blocks }, (_, index) => prepare(feedBlock(firstBlock + index, of)))
  },
  commit: plan => {
    const committed = committing.then(() => commit(plan))
    committing = committed.catch(() => {})
    return committed
  },
  usage: ({ collect }) => {
    // Returns free memory to the system.
    if (collect) globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
    return { cpuMs: (user + system) / 1_000, rssBytes: rss, heapBytes: heapUsed + arrayBuffers, counters: running().counters?.() ?? {} }
  },
})
