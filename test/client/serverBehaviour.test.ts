import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ClientError } from '#client/clientError.ts'
import { createTokenwire } from '#client/createTokenwire.ts'
import { encodeSubscribed, encodeUnsubscribed } from '#protocol/parseClientMessage.ts'
import { eventually } from '#test/support/eventually.ts'
import { updateBytes } from '#test/support/frames.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { inState, neverAnswers, Seen } from './clientFixture.ts'

const A = addressOf(1)
const B = addressOf(2)

/** A WebSocket server that misbehaves as the test says. */
async function serve(
  connected: (socket: WebSocket, count: number) => void,
): Promise<{ url: string; connections: () => number; stop(): void }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise(resolve => server.once('listening', resolve))
  let count = 0
  server.on('connection', socket => {
    connected(socket, ++count)
    socket.on('message', (data: Buffer) => {
      const { type, token, tokens = [token] } = JSON.parse(data.toString())
      for (const each of tokens) {
        socket.send(type === 'subscribe' ? encodeSubscribed(each, 1) : encodeUnsubscribed(each))
        if (type === 'subscribe') socket.send(updateBytes(snapshotOf(each, 1)), { binary: false })
      }
    })
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    stop() {
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
}

it.each([1000, 1008, 4500, 4999])('after close code %i ends every watch until it is asked to reconnect', async code => {
  let isRefusing = true
  const server = await serve(socket => {
    if (isRefusing) socket.once('message', () => socket.close(code))
  })
  const client = createTokenwire({ url: server.url, fetch: async () => Promise.reject(new TypeError('nothing there')) })
  try {
    const seen = [A, B].map(() => new Seen())
    const errors = await Promise.all(
      [A, B].map((token, index) => new Promise<ClientError>(onEnd => client.watch(token, seen[index]?.listen ?? (() => {}), { onEnd }))),
    )
    expect(errors).toEqual([expect.objectContaining({ code: 'dismissed', status: code }), expect.objectContaining({ code: 'dismissed' })])
    expect(client.state).toBe('offline')
    await expect(client.watch(A).next()).rejects.toMatchObject({ code: 'dismissed' })
    expect(server.connections()).toBe(1)
    isRefusing = false
    client.reconnect()
    await Promise.all(seen.map(one => one.reaches(1)))
    expect(server.connections()).toBe(2)
  } finally {
    client.close()
    server.stop()
  }
})

it.each([1001, 1012, 4408, 4429, 4499])('reconnects after close code %i', async code => {
  const server = await serve((socket, count) => {
    if (count === 1) socket.once('message', () => socket.close(code))
  })
  const client = createTokenwire({ url: server.url })
  try {
    client.watch(A, () => {})
    await eventually(() => server.connections() === 2)
    await inState(client, 'live')
    expect(server.connections()).toBe(2)
  } finally {
    client.close()
    server.stop()
  }
})

it('drops and reports malformed messages, and ignores unknown types', async () => {
  const server = await serve(socket => {
    const bytes = updateBytes(snapshotOf(A, 5))
    const text = new TextDecoder().decode(bytes)
    for (const message of ['', '[]', '{"type":7}', '{"type":"news"}', text.replace('"sequence":5', '"sequence":-5'), text])
      socket.send(message)
  })
  const errors: ClientError[] = []
  const client = createTokenwire({ url: server.url, fetch: neverAnswers, onError: error => errors.push(error as ClientError) })
  try {
    const seen = new Seen()
    client.watch(A, seen.listen)
    // The update arrives before the answer to the subscription.
    await seen.reaches(5)
    expect(errors.map(({ code, path }) => `${code} ${path}`)).toEqual(
      ['type', 'type', 'type', expect.stringMatching(/sequence$/)].map(path =>
        typeof path === 'string' ? `invalid_answer ${path}` : path,
      ),
    )
  } finally {
    client.close()
    server.stop()
  }
})
