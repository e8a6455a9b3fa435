import { fork } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { createOrm } from '#store/connection/orm.ts'
import { type EmbeddedServer, startEmbedded } from '#store/embedded/startEmbedded.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { addBesideTrades } from './besideTrades.ts'
import { loadTables } from './loadTables.ts'
import type { GrowthScale } from './scale.ts'

/** Kept between runs, because it is large and slow to generate. */
const CACHE = fileURLToPath(new URL('../../.cache/growth/', import.meta.url))
/** A large young generation, so that objects that survive a token's projection are not copied repeatedly. */
const SPOOL_FLAGS = ['--max-semi-space-size=256', '--max-old-space-size=6144']

const UNLIMITED = { poolSize: 1, statementTimeoutMs: 0, lockTimeoutMs: 0 }

export interface GrowthOptions {
  readonly scale: GrowthScale
  /** How many processes generate rows in parallel. */
  readonly processes: number
  readonly print: (text: string) => void
  /** Default: `GROWTH_DIR`, else `.cache/growth` in the repository, which git ignores. */
  readonly folder?: string
}

/** The folder of a scale's database, a `DATA_DIR`. */
export function growthFolder({ scale, folder = process.env['GROWTH_DIR'] ?? CACHE }: Pick<GrowthOptions, 'scale' | 'folder'>): string {
  return join(folder, `${scale.name}-${scale.trades}-${scale.seed}`)
}

/** Whether the database is complete, so that opening it does not generate it. */
export async function isMade(options: Pick<GrowthOptions, 'scale' | 'folder'>): Promise<boolean> {
  return exists(join(growthFolder(options), 'complete'))
}

/** Opens the database of a scale, migrated, on a server with the service's settings. Generates it if it does not exist. */
export async function openGrowthDatabase(options: GrowthOptions): Promise<EmbeddedServer> {
  if (!(await isMade(options))) await make(options)
  const logger = pino({ level: 'warn' })
  const server = await startEmbedded({ dataDir: growthFolder(options), logger })
  await migrate(server.url, logger)
  const orm = createOrm(server.url, logger, UNLIMITED)
  try {
    await addBesideTrades(orm.em.getKysely<unknown>(), options.scale)
  } finally {
    await orm.close(true)
  }
  return server
}

async function make(options: GrowthOptions): Promise<void> {
  const { scale, print } = options
  const dataDir = growthFolder(options)
  await rm(dataDir, { recursive: true, force: true })
  const spool = join(dataDir, 'spool')
  await mkdir(spool, { recursive: true })
  await spoolAll(options, spool)
  const logger = pino({ level: 'warn' })
  // A crash of the machine during the generation costs only another generation.
  const server = await startEmbedded({ dataDir, logger, durable: false })
  try {
    await migrate(server.url, logger)
    const orm = createOrm(server.url, logger, UNLIMITED)
    const began = performance.now()
    try {
      await loadTables(orm.em.getKysely<unknown>(), scale, spool, what => print(`${seconds(began)} ${what}`))
    } finally {
      await orm.close(true)
    }
  } finally {
    await server.stop()
  }
  await rm(spool, { recursive: true, force: true })
  await writeFile(join(dataDir, 'complete'), '')
}

async function spoolAll({ scale, processes, print }: GrowthOptions, folder: string): Promise<void> {
  const began = performance.now()
  let trades = 0
  let told = 0
  await Promise.all(
    Array.from({ length: processes }, async (_, share) => {
      const args = [scale.name, folder, String(share), String(processes)]
      const child = fork(new URL('./spoolProcess.ts', import.meta.url), args, { execArgv: SPOOL_FLAGS })
      child.on('message', made => {
        trades += Number(made)
        if (trades - told < scale.trades / 20) return
        told = trades
        print(`${seconds(began)} made ${trades.toLocaleString('en')} of ${scale.trades.toLocaleString('en')} trades`)
      })
      const [code] = await once(child, 'exit')
      if (code !== 0) throw new Error(`a process that makes rows ended with ${String(code)}`)
    }),
  )
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s`
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
