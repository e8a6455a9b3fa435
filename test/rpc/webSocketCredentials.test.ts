import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { createRpc } from '#rpc/rpc.ts'
import { createLogLines } from '#test/support/logLines.ts'

// They were left out, and the provider refused each socket.
it('a provider over WebSocket gets the user and password of its URL', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  const opened = once(server, 'connection')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const rpc = createRpc({ urls: [`ws://me:s%40cret@127.0.0.1:${port}/v2`], chainId: null, logger: createLogLines().logger })
  onTestFinished(() => rpc.close())
  rpc.connect().catch(() => undefined)
  const [, request] = (await opened) as [unknown, IncomingMessage]
  expect([request.url, request.headers.authorization]).toEqual(['/v2', `Basic ${btoa('me:s@cret')}`])
})
