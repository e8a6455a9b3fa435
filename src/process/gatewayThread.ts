import { parentPort, workerData } from 'node:worker_threads'
import { allowSlowConnections } from '#async/allowSlowConnections.ts'
import { createCalls } from '#async/calls.ts'
import { createThreadFeed } from '#bus/threadFeed.ts'
import { monotonicMs as now } from '#clock'
import type { ProcessView } from '#gateway/health/processView.ts'
import { readHealth } from '#gateway/health/readHealth.ts'
import { createRequests } from '#gateway/http/requests.ts'
import { type ChildApps, createChildApps } from '#gateway/listening/childApps.ts'
import { createOrm } from '#store/connection/orm.ts'
import { createLogger } from '#telemetry/logger.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'
import { createBlockReceiver } from '#worker/blockReceiver.ts'
import type { ToReceiver } from '#worker/messages.ts'
import { indexerView, openDatabaseCarrier } from './databaseCarrier.ts'
import type { GatewayThreadData, MainFunctions, ThreadFunctions } from './gatewayThreadCalls.ts'
import { type OpenedGateway, type OpenGatewayOptions, openGateway } from './openGateway.ts'
import { reportCrashes } from './reportCrashes.ts'

/*
 * A gateway thread: actors and connections of its share of the clients. `gatewayThreads.ts` starts it and hands it connections.
 */

if (parentPort === null) throw new TypeError('this is a thread of the service; see gatewayThreads.ts')
const port = parentPort
allowSlowConnections()
const data = workerData as GatewayThreadData
const { config, databaseUrl, chainId, operators } = data
const token = 'token' in operators ? [operators.token] : []
const redactor = createRedactor([...secretsOf(config), ...secretsOf({ databaseUrl }), ...token])
const { logLevel: level, logFormat: format } = config
const logger = createLogger({ level, format, redactor, writeLock: data.writeLock }).child({ thread: data.name })
reportCrashes(logger, config.gatewayThreads)
const stops: (() => Promise<void> | void)[] = []
const onStop = (stop: () => Promise<void> | void) => void stops.push(stop)

let price: { readonly ethUsd: string; readonly untilMs: number } | null = null
let gateway: OpenedGateway | null = null
let apps: ChildApps | null = null

const ours: ThreadFunctions = {
  open: async () => {
    gateway = await openAll()
    const requests = createRequests(gateway.sources)
    apps = createChildApps(config.tls, requests.prepare)
    onStop(async () => {
      await requests.close()
      apps?.close()
    })
    gateway.start()
    return apps.descriptor()
  },
  renewCertificate: () => {
    opened(apps).renew()
    return opened(apps).descriptor()
  },
  priced: (ethUsd, untilMs) => {
    price = { ethUsd, untilMs }
    gateway?.priceChanged()
  },
  report: () => opened(gateway).part.report(),
  health: async () => (await readHealth(opened(gateway).sources)).health,
  listActors: query => opened(gateway).part.listActors(query),
  actor: address => opened(gateway).part.actor(address),
  close: async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  },
  exit: () => process.exit(),
}

const main = createCalls<MainFunctions>(port, ours)

function opened<T>(one: T | null): T {
  if (one === null) throw new TypeError('the thread is not open yet')
  return one
}

async function openAll(): Promise<OpenedGateway> {
  const orm = createOrm(databaseUrl, logger, { applicationName: 'tokenwire-reads', statementTimeoutMs: 10_000 })
  onStop(() => orm.close(true))
  const primary = orm.em.getKysely<unknown>()
  const carrier = await openCarrier(primary)
  const view: ProcessView = {
    reports: () => main('reports'),
    listActors: query => main('listActors', query),
    actor: address => main('actor', address),
    runtime: () => main('runtime'),
    processes: () => main('processes'),
  }
  const openedGateway = await openGateway({
    ...carrier,
    config,
    logger,
    redactor,
    chainId,
    operators,
    ethUsd: {
      get: () => main('price'),
      last: () => main('lastPrice'),
      ethUsd: () => (price !== null && now() < price.untilMs ? price.ethUsd : null),
    },
    thread: data.name,
    admission: { memory: data.memory, threads: config.gatewayThreads },
    processView: () => view,
  })
  onStop(openedGateway.stop)
  onStop(() => carrier.feed.stop())
  return openedGateway
}

async function openCarrier(primary: OpenGatewayOptions['db']): Promise<Pick<OpenGatewayOptions, 'db' | 'feed' | 'indexer'>> {
  const { carrier, blocks: channel } = data
  const receiver = createBlockReceiver(message => channel?.postMessage(message), now)
  const reported = Promise.withResolvers<void>()
  channel?.on('message', (message: ToReceiver) => {
    receiver.hear(message)
    reported.resolve()
  })
  if (carrier === 'thread') {
    await reported.promise
    const feed = createThreadFeed({ ...receiver, stop: async () => channel?.close() })
    return { db: primary, feed, indexer: opened(receiver.status()) }
  }
  onStop(() => channel?.close())
  const { db, feed, reported: other } = await openDatabaseCarrier({ config, databaseUrl, primary, chainId, logger, onStop })
  return { db, feed, indexer: indexerView(other, channel === null ? undefined : receiver.status) }
}
