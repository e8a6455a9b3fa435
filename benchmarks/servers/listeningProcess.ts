import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { ownCpuMs } from '#benchmarks/support/processorTime.ts'
import { answerCalls } from '#benchmarks/support/worker.ts'
import type { BlockFeed } from '#bus/blockFeed.ts'
import { connectNats } from '#bus/natsConnection.ts'
import { createNatsFeed } from '#bus/natsFeed.ts'
import { createNotifyFeed } from '#bus/notifyFeed.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { ListeningCalls } from './listeningCalls.ts'

/* The feeds of several gateways in one process, each with its own connections. */

interface Listener {
  /** The sequence of the newest state that was handed over. */
  held(): number
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 20

const logger = pino({ level: 'silent' })
let listeners: Listener[] = []

answerCalls<ListeningCalls>({
  listen: async ({ count, ...request }) => {
    await Promise.all(listeners.map(({ stop }) => stop()))
    listeners = []
    for (let index = 0; index < count; index++) listeners.push(await startListener(request))
  },
  holds: async ({ sequence }) => {
    while (listeners.some(({ held }) => held() < sequence)) await pause(LOOK_EVERY_MS)
  },
  cpuMs: ownCpuMs,
})

async function startListener({
  databaseUrl,
  natsUrl,
  chainId,
  token,
}: Omit<Parameters<ListeningCalls['listen']>[0], 'count'>): Promise<Listener> {
  const orm = createOrm(databaseUrl, logger)
  const db = orm.em.getKysely<unknown>()
  const common = { databaseUrl, db, chainId, logger, now: () => performance.now(), onReport: () => undefined }
  const feed: BlockFeed =
    natsUrl === null
      ? createNotifyFeed(common)
      : createNatsFeed({ ...common, nats: await connectNats({ urls: [natsUrl], credsFile: null, logger }) })
  let held = 0
  feed.watch(token)
  feed.start({
    changed: () => undefined,
    dispatch: ({ tokens }) => {
      for (const state of tokens) held = Math.max(held, state.token.sequence)
    },
    sequence: () => held,
  })
  while (!feed.health().connected) await pause(LOOK_EVERY_MS)
  return {
    held: () => held,
    stop: async () => {
      await feed.stop()
      await orm.close(true)
    },
  }
}
