import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { tokenUpdateSchema } from '#protocol/schemas/messages.ts'
import { expectProblem } from '#test/gateway/http/expectProblem.ts'
import { eventually } from '#test/support/eventually.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { chunkedBody } from './chunkedBody.ts'
import { RealtimeFixture } from './startRealtime.ts'
import { bodyOf, eventsOf, idsOf, StreamFixture, TOKEN } from './streamFixture.ts'

let fixture: StreamFixture

beforeEach(async () => {
  fixture = await StreamFixture.start()
})
afterEach(() => fixture.realtime.stop())

describe('an event stream', () => {
  it('begins with when to come back, then the snapshot, then updates: the same objects as on WebSocket', async () => {
    const client = await fixture.open('Origin: http://localhost:5173\r\n')
    await client.until(() => idsOf(client).length === 1)
    const { head } = chunkedBody(client.bytes)
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(head).toMatch(/\r\nContent-Type: text\/event-stream\r\n/)
    expect(head).toMatch(/\r\nCache-Control: private, no-cache, no-transform\r\n/)
    expect(head).toMatch(/\r\nAccess-Control-Allow-Origin: http:\/\/localhost:5173\r\n/)
    expect(head).toMatch(/\r\nX-Request-Id: /)
    fixture.commit()
    await client.until(() => idsOf(client).length === 2)
    expect(bodyOf(client)).toBe(`retry: 2000\n\n${fixture.wireOf(1, 0)}${fixture.wireOf(2, 1)}`)
    const data = /^data: (.*)$/m.exec(eventsOf(client)[1] ?? '')?.[1] ?? ''
    const socket = await fixture.realtime.client()
    socket.send({ type: 'subscribe', token: TOKEN })
    expect(await socket.next()).toMatchObject({ type: 'subscribed', sequence: 2 })
    const { trades, ...state } = tokenUpdateSchema.parse(JSON.parse(data))
    expect(trades).toEqual([])
    expect(await socket.next()).toEqual({ ...state, trades: null })
  })

  it('sends deltas to those that ask for them, after a full update on each connection', async () => {
    const deltas = async (headers: string) => {
      const client = await fixture.open(headers, '?delta=true')
      await client.until(() => bodyOf(client).startsWith('retry: 2000\n\n'))
      for (let more = 0; more < 2; more++) {
        fixture.commit()
        const due = fixture.sequence
        await client.until(() => idsOf(client).includes(due))
      }
      return eventsOf(client).flatMap(event => /^event: (.*)\nid: (.*)\ndata: \{"type":"\1"/.exec(event)?.slice(1, 3).join(' ') ?? [])
    }
    expect(await deltas('')).toEqual(['token.update 1', 'token.delta 2', 'token.delta 3'])
    expect(await deltas('Last-Event-ID: 3\r\n')).toEqual(['token.update 4', 'token.delta 5'])
    expect(await deltas('Last-Event-ID: 4\r\n')).toEqual(['token.update 5', 'token.delta 6', 'token.delta 7'])
    expect(await deltas('Last-Event-ID: 9007199254740991\r\n')).toEqual(['token.update 7', 'token.delta 8', 'token.delta 9'])
  })

  it.each([
    ['Last-Event-ID: 1\r\n', '', []],
    ['', '?lastEventId=1', []],
    ['Last-Event-ID: 0\r\n', '', [1]],
    ['Last-Event-ID: 1\r\n', '?lastEventId=0', []],
  ])('with %j%s sends the snapshots %j', async (headers, query, snapshots) => {
    const client = await fixture.open(headers, query)
    await client.until(() => bodyOf(client).startsWith('retry: 2000\n\n'))
    fixture.commit()
    await client.until(() => idsOf(client).includes(2))
    expect(idsOf(client)).toEqual([...snapshots, 2])
  })

  it('has a comment every 15 s', async () => {
    const client = await fixture.open('Last-Event-ID: 1\r\n')
    await client.until(() => bodyOf(client) === 'retry: 2000\n\n')
    for (let comment = 1; comment <= 3; comment++) {
      fixture.realtime.pass(15)
      await client.until(() => bodyOf(client).length > 'retry: 2000\n\n'.length + 3 * (comment - 1))
      expect(bodyOf(client)).toBe(`retry: 2000\n\n${':\n\n'.repeat(comment)}`)
    }
  })

  it('is 404 for a token that is not indexed, and 400 for none', async () => {
    await expectProblem(await fixture.realtime.gateway.get(`/api/tokens/${addressOf(77)}/stream`), 404, 'token_not_found')
    await expectProblem(await fixture.realtime.gateway.get('/api/tokens/0x12/stream'), 400, 'invalid_parameter')
    expect(fixture.report.eventStreams).toBe(0)
  })

  it('leaves nothing behind when its client goes', async () => {
    const client = await fixture.open()
    await client.until(() => idsOf(client).length === 1)
    expect(fixture.report).toMatchObject({ eventStreams: 1, subscriptions: 1 })
    client.terminate()
    await eventually(() => fixture.report.eventStreams === 0)
    expect(fixture.report.subscriptions).toBe(0)
    expect(fixture.realtime.registry.health().subscribers).toBe(1)
    fixture.commit()
  })

  it('serves browsers that use fetch or EventSource', async () => {
    const abort = new AbortController()
    const response = await fetch(`${fixture.realtime.gateway.url}/api/tokens/${TOKEN}/stream`, { signal: abort.signal })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('id: 1\n')) text += (await reader?.read())?.value ?? ''
    expect(text).toMatch(/^retry: 2000\n\nevent: token\.update\nid: 1\ndata: \{/)
    abort.abort()
    await eventually(() => fixture.report.eventStreams === 0)
  })

  it('ends with what is owed when the server closes', async () => {
    const client = await fixture.open()
    await client.until(() => idsOf(client).length === 1)
    fixture.commit()
    const closing = fixture.realtime.gateway.close()
    await client.closed
    expect(chunkedBody(client.bytes).isComplete).toBe(true)
    expect(idsOf(client)).toEqual([1, 2])
    await closing
  })

  it('says when to come back when the server leaves', async () => {
    const draining = await RealtimeFixture.start({ drainSeconds: 8 })
    onTestFinished(() => draining.stop())
    draining.show(draining.store(TOKEN, 1))
    const streams = []
    for (const _ of [1, 2]) {
      const { body } = await draining.gateway.get(`/api/tokens/${TOKEN}/stream`)
      streams.push(new Response(body).text())
    }
    await draining.gateway.close()
    const last = (await Promise.all(streams)).map(text => text.slice(text.lastIndexOf('retry:')))
    expect(last.toSorted()).toEqual(['retry: 0\n\n', 'retry: 4000\n\n'])
  })

  it('is not opened any more when the server closes', async () => {
    const closing = fixture.realtime.realtime.close()
    await expectProblem(await fixture.realtime.gateway.get(`/api/tokens/${TOKEN}/stream`), 503, 'data_unavailable')
    await closing
  })
})
