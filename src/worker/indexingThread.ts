import { parentPort, workerData } from 'node:worker_threads'
import type { Config } from '#config'
import type { Address } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import { watchEventLoop } from '#telemetry/eventLoopWatch.ts'
import { createLogger } from '#telemetry/logger.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'
import { createHandOver } from './ackWindow.ts'
import { connectChain } from './connectChain.ts'
import type { FromIndexing, ThreadInput, ThreadView, ToIndexing } from './messages.ts'
import { type OpenedIndexing, openIndexing } from './openIndexing.ts'
import { clockOf } from './sharedClock.ts'

/*
 * The thread that follows the chain and writes (`loadThread.ts` starts it, `startIndexing.ts` speaks with it). What it throws and nobody catches
 * ends it, and with it the process: the main thread hears of it.
 */

/** Commits that the main thread may be behind with: enough to go on while it is busy for a moment. */
const MOST_AHEAD = 4
const VIEW_EVERY_MS = 250

if (parentPort === null) throw new TypeError('this is a thread of the service; see loadThread.ts')
const port = parentPort
const { clockOriginNs, turns } = workerData as ThreadInput
const now = clockOf(clockOriginNs)

const send = (message: FromIndexing) => port.postMessage(message)

/** @returns what does as it is told by every further message */
function configured(config: Config): (message: Exclude<ToIndexing, { readonly kind: 'configure' }>) => Promise<void> {
  const redactor = createRedactor(secretsOf(config))
  const logger = createLogger({ ...config.log, redactor, turns })
  const handOver = createHandOver(MOST_AHEAD)
  const eventLoop = watchEventLoop({ logger, now, thread: 'indexing' })
  const watched = new Set<Address>()
  let price: { readonly ethUsd: string; readonly untilMs: number } | null = null
  let indexing: OpenedIndexing | null = null
  const connecting = connectChain(config, logger)
  // Told of when the database is there: what is wrong with that one is said first.
  connecting.catch(() => undefined)

  const viewOf = (indexing: OpenedIndexing): ThreadView => ({
    state: indexing.view.state(),
    chain: indexing.view.chain(),
    metadata: indexing.metadata(),
    eventLoop: eventLoop.state(),
  })

  const open = async (databaseUrl: string): Promise<OpenedIndexing | null> => {
    redactor.add(secretsOf({ databaseUrl }))
    try {
      const indexing = await openIndexing({
        config,
        chain: await connecting,
        databaseUrl,
        paced: handOver.paced,
        isWatched: token => watched.has(token),
        ethUsd: () => (price !== null && now() < price.untilMs ? price.ethUsd : null),
        now,
        logger,
      })
      const { chainId, launchpads } = indexing
      send({ kind: 'opened', chainId, launchpads, view: viewOf(indexing) })
      return indexing
    } catch (error) {
      if (!(error instanceof TokenwireError)) throw error
      const { code, message, retryable } = error
      send({ kind: 'failed', code, message, retryable })
      return null
    }
  }

  const index = (indexing: OpenedIndexing): void => {
    indexing.blocks.subscribe(block => {
      handOver.sent()
      send({ kind: 'committed', block, view: viewOf(indexing) })
    })
  }

  /** Not while the main thread has not taken the last ones: it needs none but the newest. */
  const tellView = (indexing: OpenedIndexing): void => {
    if (!handOver.isIdle()) return
    handOver.sent()
    send({ kind: 'view', view: viewOf(indexing) })
  }

  return async message => {
    switch (message.kind) {
      case 'open': {
        const opened = await open(message.databaseUrl)
        indexing = opened
        if (opened !== null) setInterval(() => tellView(opened), VIEW_EVERY_MS)
        return
      }
      case 'index':
        if (indexing !== null) index(indexing)
        return
      case 'taken':
        handOver.taken()
        return
      case 'watched':
        for (const token of message.ended) watched.delete(token)
        for (const token of message.began) watched.add(token)
        send({ kind: 'noted' })
        return
      case 'price':
        price = message
        return
      case 'stop':
        await indexing?.stop()
        send({ kind: 'ended' })
        return
      case 'close':
        if (indexing !== null) await close(indexing)
        return
    }
  }
}

async function close(indexing: OpenedIndexing): Promise<void> {
  await indexing.close()
  port.close()
  process.exit()
}

let obey: ReturnType<typeof configured> | null = null

port.on('message', (message: ToIndexing) => {
  if (message.kind === 'configure') obey = configured(message.config)
  else void obey?.(message)
})
