import { setTimeout as pause } from 'node:timers/promises'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import { answerCalls } from '#benchmarks/support/worker.ts'
import { ReturningClient } from './returningClient.ts'
import type { CutRequest, OpenRequest, Recovery, ReturningCalls } from './returningClients.ts'

/** Connections that are opened at the same time. */
const UNDER_WAY = 200
/** More often than any server here asks. */
const PONG_EVERY_MS = 10_000

const clients: { readonly client: ReturningClient; readonly token: number }[] = []
/** By token. */
const newest: number[] = []
const recoveries: Recovery[] = []

answerCalls<ReturningCalls>({
  open: async request => {
    const first = clients.length
    for (let from = 0; from < request.connections; from += UNDER_WAY) {
      const count = Math.min(UNDER_WAY, request.connections - from)
      await Promise.all(Array.from({ length: count }, (_, index) => add(first + from + index, request).open()))
    }
  },
  cut,
  begin: () => {
    for (const { client } of clients) client.forgetGaps()
  },
  report: () => ({
    recoveries,
    clients: clients.map(({ token, client: { sequence, longestGapMs } }) => ({ token, sequence, longestGapMs })),
  }),
})

setInterval(() => {
  for (const { client } of clients) client.pong()
}, PONG_EVERY_MS)

function add(index: number, { protocol, ports, tokens, server, pauseMs }: OpenRequest): ReturningClient {
  const token = index % tokens.length
  const address = tokens[token]
  if (address === undefined) throw new Error('there are no tokens')
  const client = new ReturningClient({
    index,
    protocol,
    ports,
    server: server ?? index,
    token: address,
    pauseMs,
    newest: () => newest[token] ?? 0,
    onUpdate: sequence => void (newest[token] = Math.max(newest[token] ?? 0, sequence)),
    onRecovery: recovery => void recoveries.push(recovery),
  })
  clients.push({ client, token })
  return client
}

async function cut({ first, share, everyMs, forMs }: CutRequest): Promise<void> {
  const untilMs = monotonicMs() + forMs
  while (monotonicMs() < untilMs) {
    for (const { client } of clients.slice(first)) if (client.isOpen && Math.random() < share) client.cut()
    await pause(everyMs)
  }
}
