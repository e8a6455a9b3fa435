import { feedSequence, feedToken } from '#benchmarks/servers/feed.ts'
import type { ServerCalls } from '#benchmarks/servers/serverCalls.ts'
import { Worker } from '#benchmarks/support/worker.ts'
import type { ArmKind } from '../fanOut/arms.ts'
import type { ServedCluster } from './servedCluster.ts'

const TOKENS = 10
/** More than any scenario commits. */
const BLOCKS = 400

/** Two servers of a kind of the fan-out benchmarks that get the same blocks. */
export async function startPeerCluster({ server: kind }: ArmKind): Promise<ServedCluster> {
  if (kind === 'limit') throw new Error('writes in C have no clients that return')
  const start = async () => {
    const worker = Worker.start<ServerCalls>(new URL('../../servers/serverProcess.ts', import.meta.url))
    const { port, pid } = await worker.call('listen', { kind, compress: false, tls: false })
    await worker.call('prepare', { firstBlock: 1, blocks: BLOCKS, touched: TOKENS, tokens: TOKENS, size: 'small' })
    return { worker, port, pid }
  }
  const servers = await Promise.all([start(), start()])
  const [first] = servers
  let living = servers.map(({ worker }) => worker)
  let block = 0
  return {
    protocol: kind === 'socket.io' ? 'socket.io' : 'tokenwire',
    ports: servers.map(({ port }) => port),
    tokens: Array.from({ length: TOKENS }, (_, index) => feedToken(index)),
    commit: async () => {
      block++
      await Promise.all(living.map(worker => worker.call('commit', { count: 1, everyMs: 0 })))
    },
    newest: async () => Array.from({ length: TOKENS }, (_, index) => feedSequence(block, index)),
    killFirst: async () => {
      living = living.slice(1)
      process.kill(first.pid, 'SIGKILL')
    },
    stop: async () => void (await Promise.all(servers.map(({ worker }) => worker.stop()))),
  }
}
