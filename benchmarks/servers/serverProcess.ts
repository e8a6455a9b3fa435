import { setTimeout as pause } from 'node:timers/promises'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import { answerCalls } from '#benchmarks/support/worker.ts'
import { usageOf } from './childServer.ts'
import { feedBlock } from './feed.ts'
import type { FeedServer } from './feedServer.ts'
import type { CommitReport, ListenRequest, ServerCalls } from './serverCalls.ts'

let server: FeedServer | null = null
let deliveries: (() => void | Promise<void>)[] = []

async function start({ kind, compress, tls }: ListenRequest): Promise<FeedServer> {
  switch (kind) {
    case 'tokenwire':
      return (await import('./tokenwire.ts')).startTokenwire(tls)
    case 'tokenwire-threads-1':
    case 'tokenwire-threads-2':
      return (await import('./tokenwireThreads.ts')).startTokenwireThreads(kind === 'tokenwire-threads-1' ? 1 : 2)
    case 'ws':
      return (await import('./ws.ts')).startWs()
    case 'socket.io':
      return (await import('./socketIo.ts')).startSocketIo()
    case 'uws-send':
    case 'uws-publish':
    case 'uws-cork':
      return (await import('./uws.ts')).startUws(kind, { compress, tls })
    case 'nats':
      return (await import('./nats.ts')).startNats()
    case 'nchan':
      return (await import('./nchan.ts')).startNchan()
    default:
      return kind satisfies never
  }
}

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
    await deliver()
    // The gateway flushes in a microtask that is already queued, so this one runs after it.
    await Promise.resolve()
    // At full speed nothing should be conflated: the next commit waits until this one is written.
    if (everyMs === 0) await written?.()
    // Time that the server still spends on the previous block counts; the timer's own delay does not.
    const committedAtMs = index > 0 && earlyMs < 0 ? dueAtMs : beginsAtMs
    commits.push({ committedAtMs, lateMs: beginsAtMs - dueAtMs, turnMs: monotonicMs() - beginsAtMs })
  }
  return commits
}

answerCalls<ServerCalls>({
  listen: async request => {
    server = await start(request)
    return { port: server.port, pid: process.pid }
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
    const { pid, counters } = running()
    if (pid !== undefined) return { ...usageOf(pid), heapBytes: 0, counters: {} }
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    return { cpuMs: (user + system) / 1_000, rssBytes: rss, heapBytes: heapUsed, counters: counters?.() ?? {} }
  },
  close: async () => {
    await server?.close()
  },
})
