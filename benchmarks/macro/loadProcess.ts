import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { feedToken } from './feed.ts'
import type { LoadCalls, OpenRequest } from './loadCalls.ts'
import { monotonicMs } from './monotonic.ts'
import { type FirstCopies, Reception } from './reception.ts'
import { answerCalls } from './worker.ts'

const RECEIVE_TIMEOUT_MS = 10_000

interface Arm {
  readonly sockets: readonly WebSocket[]
  /** Newest sequence of each token, per connection. */
  readonly newest: readonly Float64Array[]
}

const arms = new Map<string, Arm>()
const copies: FirstCopies = new Map()
let firstBlock = -1
/** Messages that came when nothing was expected any more: sent twice. */
let strays = 0
let expecting: { readonly arm: string; readonly reception: Reception; readonly cpu: NodeJS.CpuUsage } | null = null

answerCalls<LoadCalls>({
  open: async request => {
    for (const socket of arms.get(request.arm)?.sockets ?? []) socket.terminate()
    const newest = Array.from({ length: request.connections }, () => new Float64Array(request.tokens))
    const sockets = await Promise.all(newest.map((of, connection) => connect(request, connection, of)))
    arms.set(request.arm, { sockets, newest })
  },
  expect: expectation => {
    const arm = arms.get(expectation.arm)
    if (arm === undefined) throw new Error(`no connections to ${expectation.arm}`)
    if (strays > 0) throw new Error(`${strays} messages came that nobody waited for`)
    // The arms of one turn are sent the same blocks, so their bytes are compared with each other's.
    if (expectation.firstBlock !== firstBlock) copies.clear()
    firstBlock = expectation.firstBlock
    const reception = new Reception(expectation, arm.sockets.length, copies)
    expecting = { arm: expectation.arm, reception, cpu: process.cpuUsage() }
  },
  received: async () => {
    if (expecting === null) throw new Error('nothing is expected')
    const { reception, cpu } = expecting
    const timer = new AbortController()
    await Promise.race([reception.complete, pause(RECEIVE_TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => {})])
    timer.abort()
    const { user, system } = process.cpuUsage(cpu)
    expecting = null
    reception.check()
    return { atMs: reception.atMs, largestBytes: reception.largestBytes, cpuMs: (user + system) / 1_000 }
  },
})

/** Resolves when every subscription was answered. */
function connect({ arm, port, tokens }: OpenRequest, connection: number, newest: Float64Array): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/realtime`, { perMessageDeflate: false })
    let answers = 0
    socket.on('error', reject)
    socket.on('close', code => reject(new Error(`${arm} closed a connection with ${code}`)))
    socket.on('open', () => {
      for (let token = 0; token < tokens; token++) {
        // Says that it holds the newest, so that nothing but what is committed from now on is owed to it.
        socket.send(JSON.stringify({ type: 'subscribe', token: feedToken(token), sequence: Number.MAX_SAFE_INTEGER }))
      }
    })
    socket.on('message', (message: Buffer) => {
      const receivedAtMs = monotonicMs()
      if (answers < tokens) {
        if (!message.toString().startsWith('{"type":"subscribed"')) reject(new Error(`${arm} answered ${message.toString()}`))
        answers++
        if (answers === tokens) resolve(socket)
      } else if (expecting?.arm === arm) expecting.reception.take(message, receivedAtMs, connection, newest)
      else strays++
    })
  })
}
