import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { allowSlowConnections } from '#async/connecting.ts'
import { monotonicMs as now } from '#clock'
import type { Config } from '#config'
import { hasCode, TokenwireError } from '#errors'
import { watchEventLoop } from '#telemetry/eventLoopWatch.ts'
import { createLogger, logWarnings } from '#telemetry/logger.ts'
import { createRedactor, secretsOf } from '#telemetry/redactor.ts'
import { createBlockSender, redactDetails } from './blockSender.ts'
import { type ChangingIndex, openChangingIndex } from './changingIndex.ts'
import { connectChain } from './connectChain.ts'
import type { FromIndexing, ThreadView, ToIndexing } from './messages.ts'
import { checkDatabase } from './planEdit.ts'

/*
 * The thread that follows the chain and writes to the database. `loadThread.ts` starts it, `startIndexing.ts` is its other end. An uncaught
 * exception ends it, and with it the process.
 */

const VIEW_EVERY_MS = 250

if (parentPort === null) throw new TypeError('this is a thread of the service; see loadThread.ts')
const port = parentPort
allowSlowConnections()
const lines = workerData as MessagePort

const send = (message: FromIndexing) => port.postMessage(message)

/** @returns the handler of every further message */
function configured(config: Config): (message: Exclude<ToIndexing, { readonly kind: 'configure' }>) => Promise<void> {
  const redactor = createRedactor(secretsOf(config))
  const logger = createLogger({
    level: config.logLevel,
    format: config.logFormat,
    redactor,
    output: { write: line => lines.postMessage(line) },
  })
  logWarnings(logger)
  const sender = createBlockSender(send)
  const eventLoop = watchEventLoop({ logger, now, thread: 'indexing' })
  let price: { readonly ethUsd: string; readonly untilMs: number } | null = null
  let wanted = config.launchpads
  let index: ChangingIndex | null = null
  const connecting = connectChain(config, logger)
  // A failure is reported only after `open`, so that a fault of the database is reported first.
  connecting.catch(() => undefined)

  const viewOf = (index: ChangingIndex): ThreadView => {
    const report = index.report()
    return { ...report, state: redactDetails(report.state, redactor), eventLoop: eventLoop.state() }
  }

  /** Reports an error that prevents the start, and returns `null` then. */
  const reported = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof TokenwireError)) throw error
      const { code, message, retryable } = error
      send({ kind: 'failed', code, message, retryable })
      return null
    }
  }

  const check = (databaseUrl: string) =>
    reported(async () => {
      redactor.add(secretsOf({ databaseUrl }))
      const plan = await checkDatabase({ databaseUrl, chain: await connecting, launchpads: config.launchpads, logger })
      if (plan.length > 0)
        logger.warn({ plan }, 'LAUNCHPADS_FILE differs from the index; it is applied if this process becomes the one that indexes')
      send({ kind: 'checked' })
    })

  const open = (databaseUrl: string): Promise<ChangingIndex | null> =>
    reported(async () => {
      redactor.add(secretsOf({ databaseUrl }))
      const opened = await openChangingIndex({
        config,
        chain: await connecting,
        databaseUrl,
        delayed: sender.delayed,
        onLaunchpads: launchpads => send({ kind: 'launchpads', launchpads }),
        // With NATS, commits read every state: gateways get the states over NATS, and this process does not know which tokens they watch.
        isWatched: token => config.nats !== null || sender.isWatched(token),
        ethUsd: () => (price !== null && now() < price.untilMs ? price.ethUsd : null),
        now,
        logger,
      })
      opened.want(wanted)
      const { chainId, writer } = opened
      send({ kind: 'opened', chainId, launchpads: opened.launchpads(), writer, view: viewOf(opened) })
      void opened.gaveUp.then(error => {
        if (hasCode(error, 'database_taken')) send({ kind: 'writerChanged' })
      })
      return opened
    })

  return async message => {
    switch (message.kind) {
      case 'check':
        await check(message.databaseUrl)
        return
      case 'open': {
        const opened = await open(message.databaseUrl)
        index = opened
        if (opened !== null) setInterval(() => sender.report(viewOf(opened)), VIEW_EVERY_MS)
        return
      }
      case 'index': {
        const opened = index
        opened?.start(block => sender.committed(block, viewOf(opened)))
        return
      }
      case 'want':
        wanted = message.launchpads
        index?.want(wanted)
        return
      case 'received':
      case 'watched':
        sender.receive(message)
        return
      case 'price':
        price = message
        return
      case 'stop':
        await index?.stop()
        send({ kind: 'ended' })
        return
      case 'close':
        if (index === null) return
        await index.close()
        port.close()
        process.exit()
    }
  }
}

let handle: ReturnType<typeof configured> | null = null

port.on('message', (message: ToIndexing) => {
  if (message.kind === 'configure') handle = configured(message.config)
  else void handle?.(message)
})
