import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '#benchmarks/support/freePort.ts'
import { dial, startChild } from './childServer.ts'
import type { FeedServer } from './feedServer.ts'
import { framesOf } from './frames.ts'

/** NATS with its WebSocket listener: a subject per token; publishes use TCP. */
export async function startNats(): Promise<FeedServer> {
  const port = await freePort()
  const webSocketPort = await freePort()
  const config = path.join(await mkdtemp(path.join(tmpdir(), 'tokenwire-nats-')), 'nats.conf')
  const lines = [
    `listen: "127.0.0.1:${port}"`,
    'ping_interval: "10m"',
    'max_pending: 256MB',
    `websocket { listen: "127.0.0.1:${webSocketPort}", no_tls: true }`,
  ]
  await writeFile(config, `${lines.join('\n')}\n`)
  const child = await startChild('nats-server', ['-c', config], webSocketPort)
  const publisher = await dial(port)
  publisher.write('CONNECT {"verbose":false}\r\n')
  publisher.resume()
  return {
    port: webSocketPort,
    pid: child.pid ?? 0,
    prepare: snapshots => {
      const messages = [...framesOf(snapshots)].map(([token, bytes]) =>
        Buffer.concat([Buffer.from(`PUB ${token} ${bytes.length}\r\n`), bytes, Buffer.from('\r\n')]),
      )
      const all = Buffer.concat(messages)
      return () => void publisher.write(all)
    },
    close: async () => {
      publisher.destroy()
      child.kill()
    },
  }
}
