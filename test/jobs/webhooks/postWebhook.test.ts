import { afterAll, beforeAll, expect, it } from 'vitest'
import { publicOutbound } from '#jobs/metadata/outbound.ts'
import { postWebhook } from '#jobs/webhooks/postWebhook.ts'
import { Receiver } from './receiver.ts'

let receiver: Receiver
beforeAll(async () => {
  receiver = await new Receiver().open()
})
afterAll(() => receiver.close())

it.each(['127.0.0.1', 'localtest.example', '[::1]'])('sends nothing to a private address behind %s unless it is allowed', async host => {
  const config = receiver.config('bot')
  const url = config.url.replace('127.0.0.1', host)
  // Also a name whose server answers with a private address, or with a public one and a private one.
  const outbound = { ...publicOutbound(), resolve: async () => ['93.184.216.34', '127.0.0.1'] }
  const message = { id: 'msg_1', body: '{"type":"test"}' }
  const send = (allowPrivate: boolean) =>
    postWebhook({ ...config, url }, message, { outbound, allowPrivate, epochMs: Date.now }, new AbortController().signal)
  expect(await send(false)).toEqual({ kind: 'failed', cause: 'its host has an address that is not public' })
  expect(receiver.deliveries).toEqual([])
  if (host !== '127.0.0.1') return
  expect(await send(true)).toEqual({ kind: 'taken' })
  expect(receiver.deliveries.splice(0)).toEqual([{ id: 'msg_1', message: { type: 'test' } }])
})
