import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { answerCalls } from '#benchmarks/support/worker.ts'
import type { BlockFeed } from '#bus/blockFeed.ts'
import { connectNats } from '#bus/natsConnection.ts'
import { createNatsFeed } from '#bus/natsFeed.ts'
import { createNotifyFeed } from '#bus/notifyFeed.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { ListeningCalls } from './listeningCalls.ts'

/* The feeds of several gateways in one process, each with its own connections. */

const logger = pino({ level: 'silent' })
let stops: (() => Promise<unknown>)[] = []

answerCalls<ListeningCalls>({
  listen: async ({ count, ...request }) => {
    await Promise.all(stops.map(stop => stop()))
    stops = []
    for (let index = 0; index < count; index++) await addFeed(request)
  },
})

async function addFeed({ databaseUrl, natsUrl, chainId, token }: Omit<Parameters<ListeningCalls['listen']>[0], 'count'>): Promise<void> {
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
  while (!feed.health().connected) await pause(20)
  stops.push(async () => {
    await feed.stop()
    await orm.close(true)
  })
}
