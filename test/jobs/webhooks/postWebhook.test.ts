import { createServer } from 'node:https'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { keptConnections, publicOutbound } from '#jobs/metadata/outbound.ts'
import { type PostOptions, postWebhook } from '#jobs/webhooks/postWebhook.ts'
import { certificate, certificateKey } from '#test/support/certificate.ts'
import { poll } from '#test/support/eventually.ts'
import { freePort } from '#test/support/freePort.ts'
import { listen } from '#test/support/listen.ts'
import { answering, Receiver } from './receiver.ts'

let receiver: Receiver
beforeEach(async () => {
  receiver = await new Receiver().open()
})
afterEach(() => receiver.close())

const MESSAGE = { id: 'msg_1', body: '{"type":"tést"}' }
const AT = Date.UTC(2026, 5, 1)
const send = (given: Partial<PostOptions> = {}, url = receiver.config('bot').url) => {
  const options = { outbound: publicOutbound(), allowPrivate: true, epochMs: () => AT, ...given }
  return postWebhook({ ...receiver.config('bot'), url }, MESSAGE, options, new AbortController().signal)
}

it.each(['127.0.0.1', 'localtest.example', '[::1]'])('sends nothing to a private address behind %s unless it is allowed', async host => {
  const url = receiver.url.replace('127.0.0.1', host)
  // Also a name whose server answers with a private address, or with a public one and a private one.
  const outbound = { ...publicOutbound(), resolve: async () => ['93.184.216.34', '127.0.0.1'] }
  const cause = 'its host has an address that is not public'
  expect(await send({ outbound, allowPrivate: false }, url)).toEqual({ kind: 'failed', cause, retryAfterMs: null })
  expect(receiver.deliveries).toEqual([])
  if (host !== '127.0.0.1') return
  expect(await send({ outbound })).toEqual({ kind: 'taken' })
  expect(receiver.deliveries.splice(0)).toEqual([{ id: 'msg_1', message: { type: 'tést' } }])
})

// "it can not be connected to" was said of a certificate without its chain, too, which only its operator can mend.
it('says whether a receiver is off, unknown, or has a certificate that nobody trusts', async () => {
  const options = { cert: certificate, key: certificateKey }
  const secured = createServer(options, (_, response) => void response.writeHead(204).end())
  const port = await listen(secured)
  onTestFinished(() => void secured.close())
  const cause = async (url: string, given: Partial<PostOptions> = {}) => send(given, url)
  expect(await cause(`https://localhost:${port}/`)).toMatchObject({
    cause: 'its certificate or its encryption is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)',
  })
  expect(await cause(`https://localhost:${port}/`, { outbound: { ...publicOutbound(), ca: certificate } })).toEqual({ kind: 'taken' })
  expect(await cause(receiver.url.replace('http:', 'https:'))).toMatchObject({ cause: expect.stringMatching(/encryption is not accepted/) })
  expect(await cause(`http://127.0.0.1:${await freePort()}/`)).toMatchObject({ cause: 'it can not be connected to (ECONNREFUSED)' })
  const nobody = { allowPrivate: false, outbound: { ...publicOutbound(), resolve: async () => [] } }
  expect(await cause('https://gone.example/', nobody)).toMatchObject({ cause: 'it can not be connected to (ENOTFOUND)' })
})

it.each([
  [429, '90', 90_000],
  [503, new Date(AT + 5_000).toUTCString(), 5_000],
  [503, 'soon', null],
  [500, '90', null],
] as const)(
  'says for how long a receiver that answers %i with Retry-After: %s asks to be left alone',
  async (status, header, retryAfterMs) => {
    receiver.answer = answering(status, { 'retry-after': header })
    expect(await send()).toEqual({ kind: 'failed', cause: `it answers ${status}`, retryAfterMs })
  },
)

it.each(['[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '[64:ff9b::7f00:1]', '127.0.0.1.'])(
  'sends nothing to %s, another notation of a private address',
  async host => {
    const url = receiver.url.replace('127.0.0.1', host)
    expect(await send({ allowPrivate: false }, url)).toMatchObject({ cause: 'its host has an address that is not public' })
    expect(receiver.deliveries).toEqual([])
  },
)

it('sends the credentials of its URL as a header, and a long path as it is', async () => {
  const seen: unknown[] = []
  receiver.answer = (response, _) => {
    const { url, headers } = response.req
    seen.push(url, headers.authorization, headers['webhook-timestamp'])
    // Hints come before the answer.
    response.writeEarlyHints({ link: '</a>; rel=preload' })
    response.writeHead(202).end()
  }
  const { host } = new URL(receiver.url)
  const path = `/${'h'.repeat(6_000)}?key=%F0%9F%A6%A6`
  expect(await send({}, `http://us%3Aer:p%40ss@${host}${path}`)).toEqual({ kind: 'taken' })
  expect(seen).toEqual([path, `Basic ${Buffer.from('us:er:p@ss').toString('base64')}`, String(AT / 1_000)])
})

it('signs each attempt with its own time, so that a receiver with a window takes a late one', async () => {
  const times: unknown[] = []
  receiver.answer = response => void response.writeHead(times.push(response.req.headers['webhook-timestamp']) === 1 ? 500 : 200).end()
  await send()
  await send({ epochMs: () => AT + 86_400_000 })
  expect(times).toEqual([String(AT / 1_000), String(AT / 1_000 + 86_400)])
})

it('follows no redirect, also where the receiver offers several', async () => {
  receiver.answer = answering(300)
  expect(await send()).toEqual({ kind: 'failed', cause: 'it redirects (300), which is not followed', retryAfterMs: null })
})

describe('over kept connections', () => {
  const kept = (resolve = async () => ['127.0.0.1'], isPublic = () => true) => ({
    allowPrivate: false,
    outbound: { ...publicOutbound(), resolve, isPublic, connections: keptConnections() },
  })
  const byName = () => receiver.url.replace('127.0.0.1', 'bot.example')

  it('sends one message after the other, and looks the host up and checks its address once', async () => {
    let lookups = 0
    const options = kept(async () => [`127.0.0.${++lookups}`])
    for (let sent = 0; sent < 3; sent++) expect(await send(options, byName())).toEqual({ kind: 'taken' })
    expect([receiver.connections, lookups, receiver.deliveries.length]).toEqual([1, 1, 3])
  })

  it('does so at once over a new one when the receiver has closed it', async () => {
    const options = kept()
    await send(options, byName())
    // It closes the connection when the next message comes, without an answer, as a server does that was about to.
    receiver.dropsNext = true
    expect(await send(options, byName())).toEqual({ kind: 'taken' })
    expect([receiver.connections, receiver.deliveries.length]).toEqual([2, 2])
  })

  it('checks the address again for a new one', async () => {
    let isPublic = true
    const options = kept(undefined, () => isPublic)
    await send(options, byName())
    isPublic = false
    receiver.dropsNext = true
    expect(await send(options, byName())).toMatchObject({ cause: 'its host has an address that is not public' })
    expect(receiver.deliveries).toHaveLength(1)
  })

  it.each([
    ['is long', () => 'x'.repeat(100_000)],
    ['does not end', null],
  ] as const)('ends one whose answer %s', async (_, body) => {
    receiver.answer = response => void (body === null ? response.writeHead(200).write('x') : response.writeHead(200).end(body()))
    const options = kept()
    for (let sent = 0; sent < 2; sent++) expect(await send(options, byName())).toEqual({ kind: 'taken' })
    expect(receiver.connections).toBe(2)
    await poll(() => receiver.countOpen()).toBe(0)
  })
})
