import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import { answerCalls } from '#benchmarks/support/worker.ts'
import { startBareTopics } from './bareTopics.ts'
import type { ChannelCalls, ChannelServer } from './channelServer.ts'
import { startTokenwireChannels } from './tokenwireChannels.ts'

let server: ChannelServer | null = null
let prepared: (() => void)[] = []

answerCalls<ChannelCalls>({
  listen: async kind => {
    server = await (kind === 'tokenwire' ? startTokenwireChannels() : startBareTopics())
    return { port: server.port }
  },
  prepare: ({ first, count }) => {
    prepared = Array.from({ length: count }, (_, index) => server?.prepare(first + index) ?? (() => {}))
  },
  commit: async () => {
    const atMs = monotonicMs()
    prepared.shift()?.()
    return atMs
  },
  usage: ({ collect }) => {
    if (collect) globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed, external } = process.memoryUsage()
    return { cpuMs: (user + system) / 1_000, rssBytes: rss, heapBytes: heapUsed + external }
  },
  close: async () => {
    await server?.close()
  },
})
