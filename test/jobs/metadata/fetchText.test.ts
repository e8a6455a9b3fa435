import type { RequestListener } from 'node:http'
import { createServer } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { fetchText } from '#jobs/metadata/fetchText.ts'
import { type FetchLimits, isPublicAddress, type Outbound, publicOutbound } from '#jobs/metadata/outbound.ts'
import { freePort } from '#test/support/freePort.ts'
import { listen } from '#test/support/listen.ts'
import { creatorCertificate } from './creatorCertificate.ts'
import { giving, PATIENT_LIMITS, redirecting, startDocumentServer } from './documentServer.ts'

/*
 * Real sockets. The one thing that is not as in production: creator.example and its like lead to this machine, whose address counts as
 * public where a name has led to it (and nowhere else), and creators' URLs name the port on which the server of the test listens.
 */

const JSON_TYPE = { 'content-type': 'application/json' }
let addresses: Map<string, string[][]>
let resolved: string[]

const gateway = await startDocumentServer()
const creator = await startDocumentServer({ secure: true })

beforeEach(() => {
  addresses = new Map([
    ['creator.example', [['127.0.0.1']]],
    ['other.example', [['127.0.0.1']]],
    ['stranger.example', [['127.0.0.1']]],
  ])
  resolved = []
})

const options = (limits: Partial<FetchLimits> = {}, allowHttp = false) => ({
  outbound: outbound(limits),
  allowHttp,
  signal: new AbortController().signal,
})

const failed = (problem: string) => ({ kind: 'failure', problem })

describe('a gateway', () => {
  it('is asked wherever it is, without compression, and not again on the same connection', async () => {
    let accepted: unknown
    const listener: RequestListener = (request, response) => {
      accepted = request.headers['accept-encoding']
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('{"a":"ü"}')
    }
    expect(await fromGateway(listener)).toEqual({ kind: 'text', text: '{"a":"ü"}' })
    expect(accepted).toBe('identity')
    await gateway.gone(gateway.requests.length - 1)
    expect(resolved).toEqual([])
  })

  it.each([
    [404, 'not_found'],
    [410, 'not_found'],
    [403, 'denied'],
    [451, 'denied'],
    [204, 'denied'],
    [206, 'denied'],
    [500, 'server_error'],
    [504, 'server_error'],
  ])('that answers %i is %s', async (status, problem) => {
    expect(await fromGateway((_, response) => void response.writeHead(status, JSON_TYPE).end())).toMatchObject(failed(problem))
  })

  it.each([
    [429, '7', 'rate_limited', 7_000],
    [429, undefined, 'rate_limited', 60_000],
    [503, '120', 'server_error', 120_000],
    [503, 'soon', 'server_error', null],
    [429, 'Thu, 01 Jan 1970 00:00:00 GMT', 'rate_limited', 0],
  ])('that answers %i with Retry-After %s is left alone', async (status, header, problem, retryAfterMs) => {
    const headers = header === undefined ? {} : { 'retry-after': header }
    const answer = await fromGateway((_, response) => void response.writeHead(status, headers).end())
    expect(answer).toEqual({ kind: 'failure', problem, retryAfterMs, afterRedirect: false })
  })

  it.each(['text/html', 'image/png', 'application/javascript', 'multipart/form-data'])('that gives %s gives no document', async type => {
    expect(await fromGateway(giving({}, { 'content-type': type }))).toMatchObject(failed('wrong_type'))
  })

  it.each(['application/json;charset=utf-8', 'Application/LD+JSON', 'application/octet-stream', 'text/plain', ''])(
    'may call it %j',
    async type => {
      expect(await fromGateway(giving({}, { 'content-type': type }))).toEqual({ kind: 'text', text: '{}' })
    },
  )

  it('that never stops sending is left', async () => {
    const endless: RequestListener = (_, response) => {
      response.writeHead(200, JSON_TYPE)
      const send = () => {
        while (!response.destroyed && response.write(' '.repeat(16_384)));
        response.once('drain', send)
      }
      send()
    }
    expect(await fromGateway(endless)).toMatchObject(failed('too_large'))
    await gateway.gone(gateway.requests.length - 1)
  })

  it('that gives a name of a megabyte is left', async () => {
    expect(await fromGateway(giving({ name: 'x'.repeat(1_000_000) }))).toMatchObject(failed('too_large'))
  })

  it('that gives exactly the limit is read, and one byte more is not', async () => {
    const body =
      (bytes: number): RequestListener =>
      (_, response) =>
        void response.writeHead(200, JSON_TYPE).end('x'.repeat(bytes))
    expect(await fromGateway(body(1_000), { maxBytes: 1_000 })).toMatchObject({ kind: 'text' })
    expect(await fromGateway(body(1_001), { maxBytes: 1_000 })).toMatchObject(failed('too_large'))
  })

  it('that drips is left when the time for all of it is over', async () => {
    const drip: RequestListener = (_, response) => {
      response.writeHead(200, JSON_TYPE)
      const timer = setInterval(() => response.write(' '), 5)
      response.once('close', () => clearInterval(timer))
    }
    expect(await fromGateway(drip, { wholeMs: 150 })).toMatchObject(failed('too_slow'))
    await gateway.gone(gateway.requests.length - 1)
  })

  it('that drips its headers, or says nothing, is left when the time for the first byte is over', async () => {
    const drip: RequestListener = request => {
      request.socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => request.socket.write('x: y\r\n'), 5)
      request.socket.once('close', () => clearInterval(timer))
    }
    expect(await fromGateway(drip, { firstByteMs: 100 })).toMatchObject(failed('too_slow'))
    expect(await fromGateway(() => undefined, { firstByteMs: 100 })).toMatchObject(failed('too_slow'))
  })

  it('that sends a megabyte of headers or none that are HTTP is left', async () => {
    const headers: RequestListener = request => request.socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_000_000)}\r\n\r\n{}`)
    expect(await fromGateway(headers)).toMatchObject(failed('no_connection'))
    expect(await fromGateway(request => request.socket.end('SSH-2.0-x\r\n'))).toMatchObject(failed('no_connection'))
    expect(
      await fromGateway(request => request.socket.end('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')),
    ).toMatchObject(failed('no_connection'))
  })

  it('that never finishes the TLS handshake is left when the time for the connection is over', async () => {
    const silent = createServer(socket => void socket.on('error', () => undefined))
    const url = new URL(`https://127.0.0.1:${await listen(silent)}/x`)
    expect(await fetchText({ url, gateway: 'ipfs-1' }, options({ connectMs: 100 }))).toMatchObject(failed('no_connection'))
    silent.close()
  })

  it('that is not there is no connection', async () => {
    const url = new URL(`http://127.0.0.1:${await freePort()}/x`)
    expect(await fetchText({ url, gateway: 'ipfs-1' }, options())).toMatchObject(failed('no_connection'))
  })

  it('that breaks off in the middle is no connection', async () => {
    const broken: RequestListener = (_, response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': 1_000 })
      response.write('{"a":', () => response.destroy())
    }
    expect(await fromGateway(broken)).toMatchObject(failed('no_connection'))
  })

  it('that packs its answer unasked is unpacked, a bomb up to the limit and no further', async () => {
    const packed = (body: Buffer, encoding: string): RequestListener => {
      return (_, response) => void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': encoding }).end(body)
    }
    expect(await fromGateway(packed(gzipSync('{"a":1}'), 'gzip'))).toEqual({ kind: 'text', text: '{"a":1}' })
    expect(await fromGateway(packed(brotliCompressSync('{"a":1}'), 'BR'))).toEqual({ kind: 'text', text: '{"a":1}' })
    const bomb = gzipSync(Buffer.alloc(20_000_000, 0x20))
    expect(bomb.length).toBeLessThan(100_000)
    expect(await fromGateway(packed(bomb, 'gzip'))).toMatchObject(failed('too_large'))
    expect(await fromGateway(packed(Buffer.from('no gzip'), 'gzip'))).toMatchObject(failed('wrong_type'))
    expect(await fromGateway(packed(gzipSync(gzipSync('{}')), 'gzip, gzip'))).toMatchObject(failed('wrong_type'))
  })

  it('that sends broken UTF-8 gives replacement marks', async () => {
    const listener: RequestListener = (_, response) => void response.writeHead(200, JSON_TYPE).end(Buffer.from([0x7b, 0xff, 0xc3, 0x7d]))
    expect(await fromGateway(listener)).toEqual({ kind: 'text', text: '{\ufffd\ufffd}' })
  })

  it.each([
    ['http://169.254.169.254/latest/meta-data/', 'forbidden_redirect'],
    ['http://localhost/', 'forbidden_redirect'],
    ['https://127.0.0.1/', 'forbidden_redirect'],
    ['https://[::ffff:169.254.169.254]/', 'forbidden_redirect'],
    ['https://other.example:8443/', 'forbidden_redirect'],
    ['http://user:pass@127.0.0.1/', 'forbidden_redirect'],
    ['file:///etc/passwd', 'forbidden_redirect'],
    ['http://', 'forbidden_redirect'],
    ['', 'forbidden_redirect'],
  ])('that redirects to %s leads nowhere', async (location, problem) => {
    const before = gateway.requests.length
    const redirectOnce: RequestListener = (request, response) => redirecting(location)(request, response)
    expect(await fromGateway(redirectOnce, { maxRedirects: 0 })).toMatchObject(failed(problem))
    expect(await fromGateway(redirectOnce)).toMatchObject(failed(problem))
    // An empty Location is the same address again.
    expect(gateway.requests.length - before).toBe(location === '' ? 1 + 1 + 3 : 2)
    expect(resolved).toEqual([])
  })

  it('may redirect within itself, and no more than three times', async () => {
    const times = (count: number): RequestListener => {
      return (request, response) => {
        const step = Number(new URL(request.url ?? '', 'http://x').searchParams.get('step') ?? 0)
        return step < count ? redirecting(`/y?step=${step + 1}`, 307)(request, response) : giving({ step })(request, response)
      }
    }
    expect(await fromGateway(times(3))).toEqual({ kind: 'text', text: '{"step":3}' })
    expect(await fromGateway(times(4))).toMatchObject(failed('forbidden_redirect'))
  })

  it('trusts no other host than the configured one', async () => {
    creator.answer(giving({ from: 'creator' }))
    expect(await fromGateway(redirecting(`https://creator.example:${creator.port}/y`))).toEqual({
      kind: 'text',
      text: '{"from":"creator"}',
    })
    expect(resolved).toEqual(['creator.example'])
    addresses.set('creator.example', [['10.0.0.7']])
    expect(await fromGateway(redirecting(`https://creator.example:${creator.port}/y`))).toMatchObject(failed('forbidden_address'))
    expect(await fromGateway(redirecting(`https://127.0.0.1:${creator.port}/y`))).toMatchObject(failed('forbidden_redirect'))
  })
})

describe('a host that a creator names', () => {
  it('is connected to at the address that was checked, under its own name', async () => {
    // A second look-up gives this machine's other address.
    addresses.set('creator.example', [['127.0.0.1'], ['127.0.0.53']])
    expect(await fromCreator(giving({ a: 1 }))).toEqual({ kind: 'text', text: '{"a":1}' })
    expect(creator.requests.at(-1)).toBe(`creator.example:${creator.port}/x`)
    expect(resolved).toEqual(['creator.example'])
  })

  it.each([
    [['10.0.0.1']],
    [['169.254.169.254']],
    [['127.0.0.53']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['2002:7f00:1::']],
    [['fd00::1']],
    [['100.64.0.1']],
    [['127.0.0.1', '192.168.1.1']],
    [['127.0.0.1', 'fe80::1']],
  ])('is not connected to when its addresses are %j', async found => {
    const before = creator.requests.length
    addresses.set('creator.example', [found])
    expect(await fromCreator(giving({}))).toMatchObject(failed('forbidden_address'))
    expect(creator.requests.length).toBe(before)
  })

  it('is not connected to on this machine by the rules of production', async () => {
    const before = creator.requests.length
    const production: Outbound = {
      ...publicOutbound(),
      resolve: async () => ['127.0.0.1'],
      ports: outbound().ports,
      ca: creatorCertificate,
    }
    const location = { url: new URL(`https://creator.example:${creator.port}/x`), gateway: null }
    expect(await fetchText(location, { ...options(), outbound: production })).toMatchObject(failed('forbidden_address'))
    expect(creator.requests.length).toBe(before)
  })

  it.each(['http://creator.example/x', 'https://creator.example/x', 'https://127.0.0.1/x', 'https://u:p@creator.example/x'])(
    'is not even looked up for %s',
    async url => {
      // The port of https here is that of the test's server, so the usual one is an odd one.
      expect(await fetchText({ url: new URL(url), gateway: null }, options())).toMatchObject(failed('forbidden_url'))
      expect(resolved).toEqual([])
    },
  )

  it('without an address is no connection, and one whose name servers hang is too slow', async () => {
    addresses.delete('creator.example')
    expect(await fromCreator(giving({}))).toMatchObject(failed('no_connection'))
    const hanging: Outbound = { ...outbound({ wholeMs: 100 }), resolve: () => new Promise(() => undefined) }
    const location = { url: new URL(`https://creator.example:${creator.port}/x`), gateway: null }
    expect(await fetchText(location, { ...options(), outbound: hanging })).toMatchObject(failed('too_slow'))
  })

  it('has to show a certificate of its own name', async () => {
    expect(await fromCreator(giving({}), 'stranger.example')).toMatchObject(failed('no_connection'))
  })

  it('may redirect to another public one', async () => {
    creator.answer((request, response) =>
      request.headers.host?.startsWith('creator') === true
        ? redirecting(`https://other.example:${creator.port}/y`, 301)(request, response)
        : giving({ from: request.headers.host })(request, response),
    )
    const location = { url: new URL(`https://creator.example:${creator.port}/x`), gateway: null }
    expect(await fetchText(location, options())).toEqual({ kind: 'text', text: `{"from":"other.example:${creator.port}"}` })
    expect(resolved).toEqual(['creator.example', 'other.example'])
  })

  it('is not to blame for where it redirects to', async () => {
    const busy: RequestListener = (request, response) =>
      request.url === '/x' ? redirecting('/y')(request, response) : void response.writeHead(429, { 'retry-after': '9' }).end()
    expect(await fromCreator(busy)).toEqual({ kind: 'failure', problem: 'rate_limited', retryAfterMs: 9_000, afterRedirect: true })
    expect(await fromCreator(redirecting('http://localhost/'))).toMatchObject({ problem: 'forbidden_redirect', afterRedirect: true })
  })

  it('is looked at again after a redirect to itself: it may have moved', async () => {
    addresses.set('creator.example', [['127.0.0.1'], ['169.254.169.254']])
    expect(await fromCreator(redirecting('/again'))).toMatchObject(failed('forbidden_address'))
    expect(resolved).toEqual(['creator.example', 'creator.example'])
  })

  it.each([
    'http://creator.example/',
    'https://localhost/',
    'https://169.254.169.254/',
    'ftp://creator.example/',
    'https://u@creator.example/',
  ])('may not redirect to %s', async location => {
    expect(await fromCreator(redirecting(location))).toMatchObject(failed('forbidden_redirect'))
    expect(await fromCreator(redirecting(location), 'creator.example', true)).toMatchObject(failed('forbidden_redirect'))
  })

  it('may not redirect from https to http, even where http is allowed', async () => {
    const before = gateway.requests.length
    expect(await fromCreator(redirecting(`http://creator.example:${gateway.port}/`), 'creator.example', true)).toMatchObject(
      failed('forbidden_redirect'),
    )
    expect(gateway.requests.length).toBe(before)
  })

  it("may not redirect to the operator's gateway", async () => {
    const before = gateway.requests.length
    expect(await fromCreator(redirecting(`${gateway.url}/ipfs/cid`), 'creator.example', true)).toMatchObject(failed('forbidden_redirect'))
    expect(gateway.requests.length).toBe(before)
  })

  it('may be on http when that is allowed, still at public addresses only', async () => {
    const location = { url: new URL(`http://creator.example:${gateway.port}/x`), gateway: null }
    gateway.answer(giving({ a: 1 }))
    expect(await fetchText(location, options())).toMatchObject(failed('forbidden_url'))
    expect(await fetchText(location, options({}, true))).toEqual({ kind: 'text', text: '{"a":1}' })
    addresses.set('creator.example', [['10.0.0.1']])
    expect(await fetchText(location, options({}, true))).toMatchObject(failed('forbidden_address'))
  })

  it('is left at once when the service stops', async () => {
    const stop = new AbortController()
    const before = creator.requests.length
    creator.answer(() => undefined)
    const location = { url: new URL(`https://creator.example:${creator.port}/x`), gateway: null }
    const fetching = fetchText(location, { ...options(), signal: stop.signal })
    await creator.came(before + 1)
    stop.abort()
    expect(await fetching).toMatchObject({ kind: 'failure' })
    await creator.gone(before)
    expect(await fetchText(location, { ...options(), signal: stop.signal })).toMatchObject({ kind: 'failure' })
  })
})

function outbound(limits: Partial<FetchLimits> = {}): Outbound {
  return {
    resolve: async host => {
      resolved.push(host)
      const answers = addresses.get(host) ?? []
      return (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    },
    isPublic: address => address === '127.0.0.1' || isPublicAddress(address),
    ports: { https: creator.port, http: gateway.port },
    limits: { ...PATIENT_LIMITS, ...limits },
    ca: creatorCertificate,
  }
}

function fromGateway(listener: RequestListener, limits: Partial<FetchLimits> = {}) {
  gateway.answer(listener)
  return fetchText({ url: new URL(`${gateway.url}/ipfs/cid`), gateway: 'ipfs-1' }, options(limits))
}

function fromCreator(listener: RequestListener, host = 'creator.example', allowHttp = false) {
  creator.answer(listener)
  return fetchText({ url: new URL(`https://${host}:${creator.port}/x`), gateway: null }, options({}, allowHttp))
}
