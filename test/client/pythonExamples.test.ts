import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TokenwireError } from '#errors'
import type { Trade } from '#resources/trades.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { closeAfterFile } from '#test/support/closeAfterFile.ts'
import { eventually } from '#test/support/eventually.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { listen } from '#test/support/listen.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

const python = findProgram({ names: ['python3'], aptPackage: 'python3' })
const folder = await makeTemporaryFolder()
closeAfterFile(() => folder.remove())

describe.skipIf(python === null)('the follower in Python', () => {
  let fixture: RealtimeFixture
  let position: string
  let running: ChildProcess[] = []
  let files = 0

  beforeEach(async () => {
    fixture = await RealtimeFixture.start()
    position = path.join(folder.path, `position-${files++}`)
  })
  afterEach(async () => {
    for (const child of running) if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'close')
    running = []
    await fixture.stop()
  })

  /** Its lines so far. */
  function follow(url = `http://127.0.0.1:${fixture.port}`) {
    const child = spawn(python ?? '', ['examples/python/follow_trades.py', url, position], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    running.push(child)
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    return {
      child,
      lines: () =>
        output
          .split('\n')
          .slice(0, -1)
          .map(line => line.split(' ')[0]),
      output: () => output,
    }
  }

  /** Until it has stored where it begins. */
  const begun = () => eventually(async () => expect(await readFile(position, 'utf8')).toMatch(/^\d/))

  it('prints each trade once and in order, also after it was killed, and tells of reorgs', async () => {
    const first = follow()
    await begun()
    fixture.trade([1, 0xa], [2, 0xb])
    await eventually(() => expect(first.lines()).toEqual(['1-1', '1-4']))
    await eventually(async () => expect(await readFile(position, 'utf8')).toContain('1-'))
    first.child.kill('SIGKILL')
    await once(first.child, 'close')
    fixture.trade([3, 0xa])
    const second = follow()
    await eventually(() => expect(second.lines().at(-1)).toBe('2-1'))
    fixture.events.drop(1)
    fixture.channels.changed()
    fixture.trade([4, 0xa])
    await eventually(() => expect(second.output()).toMatch(/void from block 2\n2-1 \w+ \S+ 0x0+4\n$/))
    second.child.kill('SIGTERM')
    expect(await once(second.child, 'close')).toEqual([0, null])
  })

  it('reads over REST what was too much for the channel, each once, also when REST is behind and when a page fails', async () => {
    const first = follow()
    await begun()
    fixture.trade([1, 0xa])
    await eventually(async () => expect(await readFile(position, 'utf8')).toContain('1-'))
    first.child.kill('SIGKILL')
    await once(first.child, 'close')
    for (let block = 0; block < 101; block++) fixture.events.commit(...Array.from({ length: 100 }, () => [1, 0xa] as const))
    fixture.channels.changed()
    const { reads } = fixture.gateway
    reads.stored.trades = fixture.events.events.map(({ data }) => data as Trade)
    const read = reads.marketTrades
    let asked = 0
    reads.marketTrades = async query => {
      asked++
      if (asked === 1) return { data: [], next: null, asOfBlock: '100' }
      if (asked === 4) throw new TokenwireError('database_unavailable', 'down')
      return read(query)
    }
    const second = follow()
    const missed = fixture.events.events.slice(1).map(({ place }) => `${place.blockNumber}-${place.logIndex}`)
    await eventually(() => expect(second.lines()).toHaveLength(missed.length))
    expect(second.lines().slice(-missed.length)).toEqual(missed)
  })

  // Other clients ended with `IncompleteRead`, or took the half of an event for a whole one.
  it('goes on behind the last whole event when the connection breaks within one', async () => {
    const event = (id: string) =>
      `event: trades\nid: ${id}-0\ndata: ${JSON.stringify({ data: [{ id, side: 'buy', amountWeth: '1', token: '0x' }] })}\n\n`
    const asked: string[] = []
    const server = createServer(socket => {
      socket.on('error', () => undefined)
      socket.once('data', (request: Buffer) => {
        asked.push(/last-event-id: (.*)\r\n/i.exec(request.toString())?.[1] ?? '')
        const events = asked.length === 1 ? event('1-1') + event('2-1').slice(0, -20) : event('2-1')
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n')
        const chunk = `${(events.length + (asked.length === 1 ? 20 : 0)).toString(16)}\r\n${events}`
        if (asked.length === 1) socket.end(chunk)
        else socket.write(`${chunk}\r\n`)
      })
    })
    const port = await listen(server)
    const { lines } = follow(`http://127.0.0.1:${port}`)
    await eventually(() => expect(lines()).toEqual(['1-1', '2-1']))
    expect(asked).toEqual(['', '1-1-0'])
    server.close()
  })

  it('reads a stream whose bytes come one by one, with characters of several bytes', async () => {
    const told = `event: trades\nid: 1-1-0\ndata: ${JSON.stringify({ data: [{ id: '1-1', side: 'buy', amountWeth: '1', token: '🦦ß' }] })}\n\n`
    const server = createHttpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const byte of Buffer.from(told)) response.write(Buffer.of(byte))
    })
    const { output } = follow(`http://127.0.0.1:${await listen(server)}`)
    await eventually(() => expect(output()).toBe('1-1 buy 1 🦦ß\n'))
    server.closeAllConnections()
    server.close()
  })

  it('ends with the problem that no later attempt would solve', async () => {
    const child = spawn(python ?? '', ['examples/python/follow_trades.py', `http://127.0.0.1:${fixture.port}`, position, 'minWeth=much'])
    running.push(child)
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    expect((await once(child, 'close'))[0]).toBe(1)
    expect(said).toContain('400 invalid_parameter: minWeth must be a decimal number')
  })
})
