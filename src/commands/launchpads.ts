import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { LaunchpadConfig } from '#config'
import { loadConfig } from '#configuration/loadConfig.ts'
import type { Address, Hex } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import { describePlan } from '#launchpads/planLaunchpads.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { type ListInForce, readListInForce, requestRebuild } from '#store/rows/listInForce.ts'
import { readSideProgress, type SideProgress } from '#store/switchSchema.ts'
import { createLogger, errorOutput } from '#telemetry/logger.ts'
import { createRedactor, secretsOf } from '#telemetry/redactor.ts'
import { connectChain } from '#worker/connectChain.ts'
import { planEdit } from '#worker/planEdit.ts'
import { tryTransactions } from '#worker/tryTransactions.ts'
import { configuredCommand, databaseCommand, databaseConfig, onIndex } from './databaseCommand.ts'

/*
 * npm run launchpads -- plan: compares launchpads.json with the index, and says per launchpad what differs and how many blocks that takes,
 * or why the edit can't be applied.
 * Changes nothing: the process that indexes changes the index when the file changes.
 * npm run launchpads -- status: says of each launchpad whether it is in the index, and how far those are that are to join.
 * npm run launchpads -- rebuild [name]: has a launchpad built anew, as when its adapter has learned something; without a name all of them,
 * as after a reorg that can't be undone.
 * npm run launchpads -- try <file> <transaction>…: prints what a file makes of transactions of the provider. Needs no database.
 */

interface Work {
  readonly db: Kysely<unknown>
  readonly weth: Address
  readonly list: ListInForce
}

/** Runs the work on an index that there is. */
function withIndex(url: string, logger: Logger, work: (on: Work) => Promise<string>): Promise<string> {
  return onIndex({ url, applicationName: 'tokenwire-launchpads', logger }, async (db, { weth }) =>
    work({ db, weth, list: await readListInForce(db) }),
  )
}

function plan(): Promise<void> {
  const load = () => loadConfig(process.env, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS })
  return databaseCommand(load, async ({ url, config, logger }) => {
    const { rpc, source } = await connectChain(config, logger)
    try {
      return await withIndex(url, logger, async ({ db, weth, list }) => {
        const of = { maxReorgDepth: config.maxReorgDepth, launchpads: { weth } }
        const edit = await planEdit({ config: of, chain: { rpc }, db, inForce: list, wanted: config.launchpads })
        if (edit.kind === 'refused')
          throw new TokenwireError(
            'config_invalid',
            `LAUNCHPADS_FILE: ${edit.cause.full}; the launchpads would stay as they are in the index`,
          )
        const { head } = await source.tip({ confirmations: 0, announced: false, next: null })
        return [...describePlan(edit.plan, head.number), ...config.launchpads.launchpads.flatMap(one => untoldBy(one, weth))].join('\n')
      })
    } finally {
      rpc.close()
    }
  })
}

/** The line on what the events of an entry do not tell. */
function untoldBy({ name, adapter, contracts, settings }: LaunchpadConfig, weth: Address): readonly string[] {
  const untold = ADAPTER_KINDS[adapter]?.untold?.({ launchpad: name, contracts, weth, ...(settings && { settings }) }) ?? []
  return untold.length === 0 ? [] : [`${name}: its events do not tell ${untold.join(', ')}`]
}

function rebuild(name: string | undefined): Promise<void> {
  return databaseCommand(databaseConfig, ({ url, logger }) =>
    withIndex(url, logger, async ({ db, list: { launchpads } }) => {
      const names = launchpads.map(launchpad => launchpad.name)
      if (name !== undefined && !names.includes(name))
        throw new TokenwireError('config_invalid', `there is no launchpad ${name} in the index (${names.join(', ')})`)
      const rebuilt = name === undefined ? names : [name]
      for (const one of rebuilt) await requestRebuild(db, one)
      return `The process that indexes builds anew, and serves as it is until then: ${rebuilt.join(', ')}.`
    }),
  )
}

const SAMPLE_MS = 2_000

function status(): Promise<void> {
  return databaseCommand(databaseConfig, ({ url, logger }) =>
    withIndex(url, logger, async ({ db, list }) => {
      const first = await readSideProgress(db)
      if (first !== null) await delay(SAMPLE_MS)
      const last = first === null ? null : await readSideProgress(db)
      return describeStatus(list.launchpads, first, last).join('\n')
    }),
  )
}

function describeStatus(inForce: readonly LaunchpadConfig[], first: SideProgress | null, last: SideProgress | null): readonly string[] {
  const names = new Set(inForce.map(launchpad => launchpad.name))
  // The side index has every pool that values a currency, also those that stay as they are.
  const built = last?.launchpads.filter(one => !names.has(one.name) || one.adapter !== 'quote-pool') ?? []
  const isBuilt = new Set(built.map(one => one.name))
  const blocks = (last?.block ?? 0) - (first?.block ?? 0)
  const left = last === null || last.block === null || last.target === null ? null : Math.max(0, last.target - last.block)
  const time = left === null || blocks <= 0 ? '' : `, about ${Math.ceil((left * SAMPLE_MS) / blocks / 1_000)} s left`
  const progress = left === null ? 'nothing is indexed yet' : `block ${last?.block}, ${left} blocks left${time}`
  return [
    ...inForce.filter(one => !isBuilt.has(one.name)).map(one => `${one.name}: joined`),
    ...built.map(one => `${one.name}: backfilling, ${progress}`),
  ]
}

function tryFile(file: string, transactions: readonly string[]): Promise<void> {
  const load = () => loadConfig({ ...process.env, LAUNCHPADS_FILE: file }, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS })
  return configuredCommand(load, async config => {
    const wrong = transactions.find(hash => !/^0x[0-9a-fA-F]{64}$/.test(hash))
    if (wrong !== undefined)
      throw new TokenwireError('config_invalid', `expected the hash of a transaction, 0x and 64 hex digits, got ${wrong}`)
    const logger = createLogger({
      level: config.logLevel,
      format: config.logFormat,
      redactor: createRedactor(secretsOf(config)),
      output: errorOutput(),
    })
    const chain = await connectChain(config, logger)
    try {
      return await tryTransactions(
        chain,
        config.launchpads.weth,
        transactions.map(hash => hash.toLowerCase() as Hex),
      )
    } finally {
      chain.rpc.close()
    }
  })
}

const [, , task, name, ...others] = process.argv

if (task === 'plan' && name === undefined) await plan()
else if (task === 'status' && name === undefined) await status()
else if (task === 'rebuild' && others.length === 0) await rebuild(name)
else if (task === 'try' && name !== undefined && others.length > 0) await tryFile(name, others)
else {
  process.stderr.write('usage: npm run launchpads -- plan, status, rebuild [name], or try <file> <transaction>…\n')
  process.exitCode = 1
}
