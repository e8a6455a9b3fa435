import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { beforeEach, expect, it } from 'vitest'
import { tokenUpdateSchema } from '#protocol/schemas/messages.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { certificate, certificateFiles } from '#test/support/certificate.ts'
import { eventually, stepUntil } from '#test/support/eventually.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

const TOKEN = addressOf(1)
const LARGE = { description: 'd'.repeat(12_000) }

let fixture: RealtimeFixture
beforeEach(async () => {
  fixture = await RealtimeFixture.start({ tls: await certificateFiles() })
  fixture.store(TOKEN, 1)
})

/** Returns the last sequence. */
async function commitUntilLagging(): Promise<number> {
  let sequence = 1
  const commit = async () => {
    fixture.commit(snapshotOf(TOKEN, ++sequence, LARGE))
    await new Promise(setImmediate)
  }
  await stepUntil(() => fixture.registry.get(TOKEN)?.subscribers.lagging === 1, commit)
  return sequence
}

it('serves WebSockets over TLS', async () => {
  const client = await fixture.client({ ca: certificate })
  client.send({ type: 'subscribe', token: TOKEN })
  expect(await client.nextInShort(2)).toEqual(['subscribed 1', 'update 1'])
  fixture.commit(snapshotOf(TOKEN, 2))
  expect(await client.nextInShort(1)).toEqual(['update 2'])
})

it('serves a slow reader over TLS the newest update when it reads again', async () => {
  const client = await fixture.client({ ca: certificate })
  client.send({ type: 'subscribe', token: TOKEN })
  await client.nextInShort(2)
  client.socket.pause()
  const sequence = await commitUntilLagging()
  client.socket.resume()
  await eventually(() => {
    const last = client.received.at(-1)
    return last?.type === 'token.update' && last.sequence === sequence
  })
  expect(fixture.registry.get(TOKEN)?.subscribers.lagging).toBe(0)
})

it('serves event streams over TLS, to the end, also to a slow reader', async () => {
  const keep = await fixture.client({ ca: certificate })
  keep.send({ type: 'subscribe', token: TOKEN })
  await keep.nextInShort(2)
  const response = await new Promise<IncomingMessage>(resolve => {
    get(`${fixture.gateway.url.replace('localhost', '127.0.0.1')}/api/tokens/${TOKEN}/stream`, { ca: certificate, agent: false }, resolve)
  })
  expect(response.headers['content-type']).toBe('text/event-stream')
  const chunks: Buffer[] = []
  response.on('data', (chunk: Buffer) => chunks.push(chunk))
  const events = () => Buffer.concat(chunks).toString().split('\n\n').slice(1, -1)
  await eventually(() => events().length === 1)
  response.pause()
  const sequence = await commitUntilLagging()
  response.resume()
  await eventually(() => events().at(-1)?.includes(`id: ${sequence}\n`) ?? false)
  const ended = new Promise(resolve => {
    response.on('end', resolve)
  })
  await fixture.gateway.close()
  await ended
  for (const event of events().filter(event => event !== ':')) {
    expect(tokenUpdateSchema.safeParse(JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '')).success).toBe(true)
  }
})
