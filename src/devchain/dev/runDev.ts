import { rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '#clock'
import { loadConfig } from '#configuration/loadConfig.ts'
import type { Environment } from '#configuration/settingTypes.ts'
import type { DevChain } from '#devchain/actions.ts'
import { type Anvil, startAnvil } from '#devchain/anvil.ts'
import { createDevClient } from '#devchain/client.ts'
import { deploy } from '#devchain/deploy.ts'
import { deployFactories, type Factories } from '#devchain/deployFactories.ts'
import { HISTORY_SECONDS, runHistory } from '#devchain/history.ts'
import { runLive } from '#devchain/live.ts'
import type { Watchdog } from '#devchain/startWatchdog.ts'
import { createRandom, type Random } from '#devchain/traders/random.ts'
import { ACCOUNTS_FOR_TRADERS, createTraders, type Traders } from '#devchain/traders.ts'
import { messageOf, TokenwireError } from '#errors'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { layoutOf } from '#store/embedded/serverProcess.ts'
import { buildConsole } from './buildConsole.ts'
import { compileContracts } from './compileContracts.ts'
import { makeFreshFolder } from './freshFolder.ts'
import { isReady } from './isReady.ts'
import { launchpadsFile } from './launchpadsFile.ts'
import { PartEnded, rejectWhen } from './partEnded.ts'
import type { DevSettings } from './settings.ts'
import type { Shutdown } from './shutdown.ts'
import { dollarsPerEther, startSimulatedPrices } from './simulatedPrices.ts'
import { type Services, startServices } from './startServices.ts'
import { summary } from './summary.ts'
import { writeFileAtomically } from './writeFileAtomically.ts'

const READY_POLL_MS = 150
const ENDING_MS = 500
/** Enough for calls at the newest confirmed block. The states of a chain with many tokens are large. */
const KEPT_STATES = 16

export interface DevRun {
  readonly settings: DevSettings
  /** Environment variables, which override those of `.env`. */
  readonly environment: Environment
  readonly watchdog: Watchdog
  /** Collects how to undo each step. Its signal ends the run. */
  readonly shutdown: Shutdown
}

interface Chain extends DevChain {
  readonly anvil: Anvil
  readonly factories: Factories
}

interface Market {
  readonly traders: Traders
  readonly random: Random
}

/**
 * Starts chain, market and service, then lets the traders continue.
 *
 * @throws `PartEnded` when a process ends by itself; `TokenwireError` `config_invalid` when a setting is wrong
 */
export async function runDev(run: DevRun): Promise<never> {
  // A killed run leaves its file behind, and a program that waits for this run's file would read the old one.
  await rm(devFileOf(run.settings), { force: true })
  const compiled = compileContracts(run.shutdown.signal)
  const { anvil, ended } = await startChain(run)
  try {
    return await Promise.race([ended, compiled.then(() => runOn(run, anvil))])
  } catch (error) {
    // A call that fails because anvil ended often fails before `ended` does.
    await Promise.race([ended, delay(ENDING_MS)])
    throw error
  }
}

async function runOn(run: DevRun, anvil: Anvil): Promise<never> {
  const { settings, shutdown } = run
  const consoleBuilt = buildConsole(shutdown.signal)
  const client = createDevClient(anvil.url)
  const mine = () => client.mine({ blocks: 1 })
  const deployment = await deploy(client, {}, mine)
  const chain: Chain = { anvil, client, deployment, factories: await deployFactories(client, deployment, mine) }
  const serviceEnvironment = await prepareService(run, chain)
  const market = await startMarket(run, chain)
  await consoleBuilt
  const service = await startServices({ ...run, gateways: settings.gateways, environment: { ...run.environment, ...serviceEnvironment } })
  await Promise.race([service.ended, announce(run, chain, market, service)])
  const live = runLive({
    ...market,
    clock: systemClock,
    blockTimeMs: settings.blockTimeMs,
    tradesPerBlock: settings.tradesPerBlock,
    signal: shutdown.signal,
    onError: error =>
      console.error(`The block could not be mined: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`),
  })
  shutdown.add(() => live)
  return service.ended
}

/** @returns anvil, and a promise that rejects when anvil ends */
async function startChain({ settings, watchdog, shutdown }: DevRun): Promise<{ readonly anvil: Anvil; readonly ended: Promise<never> }> {
  const { rpcPort } = settings
  console.log('Starting a development chain: simulated creators and traders, nothing on it is real.')
  const timestamp = Math.floor(Date.now() / 1_000) - HISTORY_SECONDS
  const options = { port: rpcPort, accounts: ACCOUNTS_FOR_TRADERS, timestamp, keptStates: KEPT_STATES, watchdog }
  const anvil = await startAnvil(options).catch((cause: unknown) => {
    const subject = rpcPort === 0 ? 'The development chain cannot start' : 'DEV_RPC_PORT'
    throw new TokenwireError('config_invalid', `${subject}: ${messageOf(cause)}`, { cause })
  })
  shutdown.add(() => anvil.stop())
  return { anvil, ended: rejectWhen(anvil.exited, () => new PartEnded('The development chain (anvil) ended unexpectedly.', 1)) }
}

/** @returns the service's environment, validated now, so that a wrong setting is reported before the market is simulated */
async function prepareService(run: DevRun, chain: Chain): Promise<Environment> {
  const { anvil, deployment, factories } = chain
  const { settings, environment, watchdog } = run
  const folder = path.join(settings.dataDir, 'dev')
  if (!settings.ownDatabase) {
    await makeFreshFolder(folder)
    // PostgreSQL outlives a killed service on purpose. In a development run it has to end with this process.
    watchdog.watchFile(path.join(layoutOf(folder).dataFolder, 'postmaster.pid'), 'SIGINT')
  }
  const file = path.join(settings.dataDir, 'launchpads.dev.json')
  await writeFileAtomically(file, launchpadsFile(deployment, factories))
  const format = environment['LOG_FORMAT']?.trim() ?? ''
  const loopbackOpen = environment['OPERATOR_LOOPBACK_OPEN']?.trim() ?? ''
  const variables = {
    ...process.env,
    ...(await startPrice(run, chain)),
    RPC_URLS: anvil.url,
    CHAIN_ID: String(deployment.chainId),
    LAUNCHPADS_FILE: file,
    DATA_DIR: folder,
    // The metadata of simulated tokens does not exist, and a development chain sends no requests to the internet.
    METADATA_FETCH: 'false',
    LOG_FORMAT: format === '' ? 'pretty' : format,
    // Nothing stands in front of a development service. OPERATOR_TOKEN takes precedence.
    OPERATOR_LOOPBACK_OPEN: loopbackOpen === '' ? 'true' : loopbackOpen,
  }
  loadConfig(variables, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS })
  return variables
}

/** A price of ETH for the chain, unless a provider is configured: a development chain sends no requests to the internet. */
async function startPrice({ environment, shutdown }: DevRun, chain: Chain): Promise<Environment> {
  if (['COINGECKO_URL', 'COINBASE_URL'].some(name => (environment[name]?.trim() ?? '') !== '')) return {}
  const { url, stop } = await startSimulatedPrices(() => dollarsPerEther(chain))
  shutdown.add(stop)
  return { COINGECKO_URL: url, COINBASE_URL: url }
}

async function startMarket({ settings, shutdown }: DevRun, chain: Chain): Promise<Market> {
  const random = createRandom(settings.seed)
  const traders = await createTraders({ chain, random })
  const since = Number((await chain.client.getBlock()).timestamp)
  const now = () => Math.floor(Date.now() / 1_000)
  await runHistory({ traders, random, since, now, blocks: settings.historyBlocks, signal: shutdown.signal, onProgress: showProgress })
  const { transactions, launched, graduated } = traders.stats()
  console.log(`The past day: ${transactions} transactions, ${launched} tokens launched, ${graduated} graduated.`)
  return { traders, random }
}

/** Waits until the service is ready, then prints the addresses and writes dev.json for other programs. */
async function announce({ settings, shutdown }: DevRun, chain: Chain, market: Market, service: Services): Promise<void> {
  const { url, gatewayUrls, databaseUrl } = service
  for (const each of [url, ...gatewayUrls])
    while (!(await isReady(each))) await delay(READY_POLL_MS, undefined, { signal: shutdown.signal })
  const rpcUrl = chain.anvil.url
  const devFile = devFileOf(settings)
  const contents = { url, rpcUrl, databaseUrl, launchpadsFile: path.join(settings.dataDir, 'launchpads.dev.json') }
  await writeFileAtomically(devFile, `${JSON.stringify(contents, null, 2)}\n`)
  shutdown.add(() => rm(devFile, { force: true }))
  const token = market.traders.busiestToken()
  console.log(
    summary({
      serviceUrl: url,
      gatewayUrls,
      indexerUrl: service.indexerUrl,
      rpcUrl,
      databaseUrl,
      devFile,
      seed: settings.seed,
      deployment: chain.deployment,
      factories: chain.factories,
      token,
    }),
  )
}

function devFileOf({ dataDir }: DevSettings): string {
  return path.join(dataDir, 'dev.json')
}

/** Overwrites one line on a terminal, prints a line per quarter elsewhere. */
function showProgress(done: number, blocks: number): void {
  const step = process.stdout.isTTY ? 1 : 25
  const percent = Math.floor((done / blocks) * 100)
  const before = Math.floor(((done - 1) / blocks) * 100)
  if (Math.floor(percent / step) === Math.floor(before / step)) return
  const line = `Simulating the past day: ${percent} %`
  if (process.stdout.isTTY) process.stdout.write(`\r${line}${done === blocks ? '\n' : ''}`)
  else console.log(line)
}
