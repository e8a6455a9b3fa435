import { access, constants, stat } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import type { Logger } from 'pino'
import { allowSlowConnections } from '#async/connecting.ts'
import type { Config } from '#config'
import { findIdleVariables } from '#configuration/environment.ts'
import { type LoadConfigOptions, loadConfig } from '#configuration/loadConfig.ts'
import { withSchema } from '#domain/databaseUrl.ts'
import { TokenwireError } from '#errors'
import { ADAPTER_KINDS, createAdapters } from '#launchpads/registry.ts'
import { createRpc } from '#rpc/rpc.ts'
import { type DatabaseSetting, startError } from '#store/connection/databaseErrors.ts'
import { createOrm } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { findEmbeddedUrl } from '#store/embedded/startEmbedded.ts'
import { readIdentity } from '#store/rows/identity.ts'
import { createLogger } from '#telemetry/logger.ts'
import { createRedactor, secretsOf } from '#telemetry/redactor.ts'
import { type ConnectedChain, connectChain } from '#worker/connectChain.ts'
import { findMissingContracts } from '#worker/openIndexing.ts'
import { checkDatabase } from '#worker/planEdit.ts'

/** `warning`: the service runs without it. */
interface Finding {
  readonly state: 'ok' | 'warning' | 'wrong'
  readonly what: string
  readonly says: string
}

/**
 * What a start would find: settings, database, providers and launchpads. Starts nothing and changes nothing.
 *
 * @param write receives one line per thing, without its line break and without secrets
 * @returns the exit code: 0, or 1 when something is wrong
 */
export async function check(env: NodeJS.ProcessEnv, options: LoadConfigOptions, write: (line: string) => void): Promise<0 | 1> {
  let isWrong = false
  const redactor = createRedactor([])
  const report = ({ state, what, says }: Finding) => {
    isWrong ||= state === 'wrong'
    write(redactor.text(`${state.padEnd(7)}  ${what}: ${says.replaceAll('\n', ' ')}`))
  }
  const config = loadOrReport(env, options, report)
  if (config === null) return 1
  redactor.add(secretsOf(config))
  report({ state: 'ok', what: 'settings', says: `ROLE ${config.role}` })
  for (const says of findIdleVariables(env, options)) report({ state: 'warning', what: 'settings', says })
  const logger = createLogger({ level: 'silent', format: config.logFormat, redactor, output: { write: () => undefined } })
  const databaseUrl = await findDatabase(config, report)
  const hasDatabase = databaseUrl !== null && (await reportDatabase(databaseUrl, config, logger, report))
  if (config.databaseReadUrl !== null) await reportReplica(config.databaseReadUrl, logger, report)
  if (config.role !== 'gateway') await reportChain(config, hasDatabase ? databaseUrl : null, logger, report)
  return isWrong ? 1 : 0
}

type Report = (finding: Finding) => void

function loadOrReport(env: NodeJS.ProcessEnv, options: LoadConfigOptions, report: Report): Config | null {
  try {
    return loadConfig(env, options)
  } catch (error) {
    if (!(error instanceof TokenwireError)) throw error
    const { problems } = error.details as { readonly problems: readonly string[] }
    for (const says of problems) report({ state: 'wrong', what: 'settings', says })
    return null
  }
}

/** Without `DATABASE_URL` the embedded server is looked at only if it runs. */
async function findDatabase({ databaseUrl, dataDir, schema }: Config, report: Report): Promise<string | null> {
  if (databaseUrl !== null) return databaseUrl
  const problem = await requireFolder(dataDir)
  if (problem !== null) report({ state: 'wrong', what: 'database', says: `DATA_DIR: ${problem}` })
  const running = problem === null ? await findEmbeddedUrl(dataDir) : null
  if (running === null && problem === null) report({ state: 'ok', what: 'database', says: `a start makes or starts the one in ${dataDir}` })
  return running === null ? null : withSchema(running, schema)
}

/** Returns whether an indexer has prepared the database. */
async function reportDatabase(url: string, config: Config, logger: Logger, report: Report): Promise<boolean> {
  const use = config.role === 'gateway' ? 'serve' : 'index'
  return withDatabase(url, 'DATABASE_URL', logger, report, async db => {
    await requireDatabase(db, { url, use, logger })
    const identity = await readIdentity(db)
    const isMissing = identity === null && use === 'serve'
    const says =
      identity !== null
        ? `of chain ${identity.chainId}`
        : isMissing
          ? 'DATABASE_URL: no indexer of this version has prepared it yet; start the indexer first'
          : 'a start prepares it'
    report({ state: isMissing ? 'wrong' : 'ok', what: 'database', says })
    return identity !== null
  })
}

async function reportReplica(url: string, logger: Logger, report: Report): Promise<void> {
  await withDatabase(url, 'DATABASE_READ_URL', logger, report, async db => {
    await requireDatabase(db, { url, use: 'replica', logger })
    report({ state: 'ok', what: 'database', says: 'the replica answers' })
    return true
  })
}

async function withDatabase(
  url: string,
  setting: DatabaseSetting,
  logger: Logger,
  report: Report,
  work: (db: ReturnType<ReturnType<typeof createOrm>['em']['getKysely']>) => Promise<boolean>,
): Promise<boolean> {
  let orm: ReturnType<typeof createOrm> | null = null
  try {
    orm = createOrm(url, logger, { poolSize: 2, applicationName: 'tokenwire-check' })
    return await work(orm.em.getKysely())
  } catch (error) {
    report({ state: 'wrong', what: 'database', says: startError(error, { url, setting }).message })
    return false
  } finally {
    await orm?.close(true)
  }
}

/** A provider by itself is no more than a warning: the service asks the others. */
async function reportChain(config: Config, preparedUrl: string | null, logger: Logger, report: Report): Promise<void> {
  for (const [index, url] of config.rpcUrls.entries()) {
    const what = `provider rpc-${index + 1}`
    const rpc = createRpc({ urls: [url], chainId: config.chainId, logger })
    try {
      report({ state: 'ok', what, says: `chain ${await rpc.connect()}` })
    } catch (error) {
      if (!(error instanceof TokenwireError)) throw error
      const isForeign = error.code === 'chain_mismatch'
      report({ state: isForeign ? 'wrong' : 'warning', what, says: `RPC_URLS: ${error.message.replace(/^rpc-1: /, '')}` })
    } finally {
      rpc.close()
    }
  }
  try {
    const chain = await connectChain(config, logger)
    try {
      await reportLaunchpads(config, chain, report)
      if (preparedUrl === null) return
      const { launchpads } = config
      for (const line of await checkDatabase({ databaseUrl: preparedUrl, chain, launchpads, logger }))
        report({ state: 'warning', what: 'launchpads', says: `the index differs, and a start changes it: ${line}` })
    } finally {
      chain.rpc.close()
    }
  } catch (error) {
    if (!(error instanceof TokenwireError)) throw error
    report({
      state: 'wrong',
      what: error.code === 'config_invalid' ? 'launchpads' : error.code === 'database_foreign' ? 'database' : 'providers',
      says: error.message,
    })
  }
}

async function reportLaunchpads({ launchpads: { weth } }: Config, { rpc, launchpads }: ConnectedChain, report: Report): Promise<void> {
  const adapters = createAdapters({ weth, launchpads })
  const missing = await findMissingContracts(rpc, adapters)
  for (const { launchpad, contracts } of adapters) {
    const what = `launchpad ${launchpad}`
    const without = missing.filter(one => one.launchpad === launchpad)
    for (const { address } of without)
      report({ state: 'wrong', what, says: `LAUNCHPADS_FILE: there is no contract at ${address} on this chain` })
    if (without.length === 0) report({ state: 'ok', what, says: `${contracts.length} contract${contracts.length === 1 ? '' : 's'}` })
  }
}

/** Why a folder can't be written, or be made where it is missing; `null`: it can. */
async function requireFolder(folder: string): Promise<string | null> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => error)
  if (!(found instanceof Error)) {
    if (!found.isDirectory()) return `${folder} is no folder`
    return access(folder, constants.W_OK | constants.X_OK).then(
      () => null,
      () => `${folder} can't be written by this user`,
    )
  }
  if (found.code !== 'ENOENT') return `${folder} can't be read (${found.code})`
  const parent = path.dirname(folder)
  return parent === folder ? `${folder} does not exist` : requireFolder(parent)
}

/** Runs `npm start` with arguments. Returns the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  if (args.length !== 1 || args[0] !== 'check') {
    process.stderr.write('usage: npm start, or npm start -- check, which tells what a start would find\n')
    return 1
  }
  allowSlowConnections()
  return check(process.env, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS }, line => process.stdout.write(`${line}\n`))
}
