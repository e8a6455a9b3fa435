import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { createCalls } from '#async/calls.ts'
import { monotonicMs as now } from '#clock'
import { createAdmissionMemory } from '#gateway/admission/admissionCounts.ts'
import { createAcceptor } from '#gateway/listening/acceptor.ts'
import { openOperators } from '#gateway/operator/operatorPolicy.ts'
import { scriptBeside } from '#package'
import type { ProcessState } from '#resources/processes.ts'
import { watchEventLoop } from '#telemetry/eventLoopWatch.ts'
import { createRuntimeMetrics } from '#telemetry/runtimeMetrics.ts'
import { announceProcess } from './announceProcess.ts'
import type { GatewayThread, GatewayThreadData, MainFunctions, ThreadFunctions } from './gatewayThreadCalls.ts'
import { logServing, type ServeOptions, startPrices, watchFiles } from './serve.ts'
import type { ServiceOptions } from './serviceOptions.ts'
import { viewOfThreads } from './viewOfThreads.ts'

/** A thread that takes longer to end is terminated. */
const EXIT_TIMEOUT_MS = 2_000

export interface ServeInThreadsOptions
  extends Pick<ServiceOptions, 'onCrash' | 'writeLock'>,
    Pick<ServeOptions, 'config' | 'logger' | 'redactor' | 'chainId' | 'onPrice' | 'onStop'>,
    Pick<GatewayThreadData, 'databaseUrl' | 'carrier'> {
  /** Connects a thread with the indexing thread; `null`: the process never indexes. */
  readonly connect: ((port: MessagePort) => void) | null
}

/**
 * Serves in `GATEWAY_THREADS` threads. The main thread accepts connections and hands them to the threads in turns. It serves none itself,
 * so that it is always free to answer for all threads.
 *
 * @returns the URL of the gateway
 */
export async function serveInThreads(options: ServeInThreadsOptions): Promise<string> {
  const { config, logger, redactor, onStop } = options
  const operators = await openOperators({ config, logger, redactor })
  const memory = createAdmissionMemory()
  const eventLoop = watchEventLoop({ logger, now, thread: 'main' })
  onStop(() => eventLoop.stop())
  const runtime = createRuntimeMetrics()
  const threads: GatewayThread[] = []
  const { health, ...view } = viewOfThreads(threads, logger)
  let processes: () => readonly ProcessState[] = () => []
  const ours: MainFunctions = {
    ...view,
    processes: async () => processes(),
    runtime: async () => ({ metrics: await runtime(), eventLoop: eventLoop.state() }),
    price: () => prices.get(),
    lastPrice: () => prices.last(),
  }
  for (let index = 1; index <= config.gatewayThreads; index++) {
    threads.push(startThread(`gateway-${index}`, { ...options, operators, memory }, ours))
  }
  // A price that comes before a thread is open waits for it.
  const prices = startPrices(options, (ethUsd, usableMs) => {
    for (const { call } of threads) void call('priced', ethUsd, now() + usableMs)
    options.onPrice(ethUsd, usableMs)
  })
  const apps = await Promise.all(threads.map(({ call }) => call('open')))

  const acceptor = createAcceptor(config.tls)
  acceptor.hand(apps)
  onStop(() => acceptor.close())
  const listening = await acceptor.listen(config.host, config.port)
  onStop(async () => {
    listening.stop()
    await Promise.all(threads.map(({ call }) => call('close')))
  })
  if (config.tls !== null) {
    const renew = async () => acceptor.hand(await Promise.all(threads.map(({ call }) => call('renewCertificate'))))
    onStop(
      watchFiles(config.tls, logger, () => void renew().catch((err: unknown) => logger.error({ err }, 'a certificate was not renewed'))),
    )
  }
  processes = announceProcess({ ...options, url: listening.url, readHealth: health })
  logServing(options, listening.url)
  return listening.url
}

type StartOptions = ServeInThreadsOptions & Pick<GatewayThreadData, 'operators' | 'memory'>

function startThread(name: string, options: StartOptions, ours: MainFunctions): GatewayThread {
  const { config, databaseUrl, chainId, operators, memory, writeLock, carrier, connect, onCrash, onStop } = options
  const { port1, port2 } = new MessageChannel()
  connect?.(port1)
  const blocks = connect === null ? null : port2
  const workerData: GatewayThreadData = { name, config, databaseUrl, chainId, operators, memory, writeLock, carrier, blocks }
  const worker = new Worker(scriptBeside(import.meta.url, 'gatewayThread'), {
    name,
    workerData,
    transferList: blocks === null ? [] : [blocks],
  })
  const call = createCalls<ThreadFunctions>(worker, ours as never)
  let isStopping = false
  const exited = new Promise<void>(resolve => {
    worker.once('exit', code => {
      if (!isStopping) onCrash(new Error(`${name} has ended with ${code}`))
      resolve()
    })
  })
  // The thread's clients are lost, and its app would still get connections: a new process is simpler than a new thread.
  worker.on('error', onCrash)
  onStop(async () => {
    isStopping = true
    void call('exit')
    const late = setTimeout(() => void worker.terminate(), EXIT_TIMEOUT_MS)
    await exited
    clearTimeout(late)
  })
  return { name, call }
}
