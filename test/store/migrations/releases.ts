import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEther } from 'viem'
import { buyOnCurve, graduate, type Launched, launch, readLaunched, sellOnCurve, swapThroughRouter, transfer } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import { VERSION } from '#package'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { openOrm, type TestDatabase } from '#test/support/database.ts'
import { freePort } from '#test/support/freePort.ts'
import { findSystemPostgres, openPostgresServers, urlAt } from '#test/support/postgresServers.ts'
import { serviceFolder } from '#test/support/service.ts'
import { readStoredChain, type StoredChain, storeChain } from '#test/support/storedChain.ts'

/*
 * What each release has left in a database: releases/<version> has the text of `pg_dump`, and the chain that it was indexed from.
 * `npm run describe:release` writes those of this version.
 */

const FOLDER = path.join(import.meta.dirname, 'releases')
/** Unix seconds: the same chain each time. */
const GENESIS_TIME = 1_790_000_000
/** The newest ones, which are read one by one. */
const FOLLOWED_BLOCKS = 50

export interface Release {
  readonly version: string
  readonly dump: string
  readonly chain: StoredChain
}

export async function readReleases(): Promise<readonly Release[]> {
  const versions = existsSync(FOLDER) ? readdirSync(FOLDER).toSorted() : []
  return Promise.all(
    versions.map(async version => ({
      version,
      dump: await readFile(path.join(FOLDER, version, 'database.sql'), 'utf8'),
      chain: readStoredChain(await readFile(path.join(FOLDER, version, 'chain.br'))),
    })),
  )
}

/** Fills an empty database with the text of `pg_dump`. */
export async function restoreDump({ url }: Pick<TestDatabase, 'url'>, dump: string): Promise<void> {
  // Newer versions of pg_dump write commands for psql.
  const statements = dump.replace(/^\\.*\n/gm, '')
  const orm = openOrm(url)
  await orm.em.getConnection().executeDump(statements)
  await orm.close(true)
}

/** Indexes a chain on a server of the oldest version that `pg_dump` is of, and writes the folder of this version. */
export async function writeRelease(): Promise<void> {
  const binaries = findSystemPostgres()
  if (binaries === null) throw new Error('a release is written with a PostgreSQL of the system')
  const servers = await openPostgresServers(binaries)
  const chain = await startTestChain({ timestamp: GENESIS_TIME, targetWei: parseEther('1') })
  const folder = await serviceFolder(chain)
  try {
    const port = await freePort()
    await servers.start(await servers.initialise('data'), port)
    const launched = await tradeBefore(chain)
    // So that the blocks of these trades are old enough to be read in ranges, whose logs are kept.
    await chain.mine(FOLLOWED_BLOCKS)
    const service = await folder.start({ DATABASE_URL: urlAt(port), KEEP_LOGS: 'true', MAX_REORG_DEPTH: '4' })
    await service.indexed(await chain.head())
    await tradeAfter(chain, launched)
    await service.indexed(await chain.head())
    await service.stop()
    const options = ['--inserts', '--rows-per-insert=1000', '--no-owner', '--no-privileges', `--dbname=${urlAt(port)}`]
    const dump = await servers.asUser(path.join(binaries.folder, 'pg_dump'), options)
    await mkdir(path.join(FOLDER, VERSION), { recursive: true })
    await writeFile(path.join(FOLDER, VERSION, 'database.sql'), dump)
    await writeFile(path.join(FOLDER, VERSION, 'chain.br'), await storeChain(chain.client, chain.deployment))
  } finally {
    await folder.remove()
    await chain.stop()
    await servers.remove()
  }
}

const accountsOf = ({ accounts }: TestChain) => accounts as unknown as readonly [Address, Address, Address, Address]

/** A token on its curve, and one that has graduated. */
async function tradeBefore(chain: TestChain): Promise<readonly Launched[]> {
  const [, creator, alice, bob] = accountsOf(chain)
  const alpha = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP' })))
  const beta = readLaunched(await chain.mined(launch(chain, { from: alice, name: 'Beta', symbol: 'BET', firstBuyWei: parseEther('0.1') })))
  for (const paid of ['0.1', '0.05', '0.02'])
    await chain.mined(buyOnCurve(chain, { from: bob, curve: alpha.curve, paidWei: parseEther(paid) }))
  await chain.mined(sellOnCurve(chain, { from: alice, ...beta, amount: 10n ** 24n }))
  await chain.mined(buyOnCurve(chain, { from: bob, curve: beta.curve, paidWei: parseEther('5') }))
  await chain.mined(graduate(chain, { from: alice, token: beta.token }))
  return [alpha, beta]
}

/** In blocks that the service follows. */
export async function tradeAfter(chain: TestChain, [alpha, beta]: readonly Launched[]): Promise<void> {
  if (alpha === undefined || beta === undefined) throw new Error('the chain of a release has two tokens')
  const [, creator, alice, bob] = accountsOf(chain)
  await chain.mined(buyOnCurve(chain, { from: creator, curve: alpha.curve, paidWei: parseEther('0.03') }))
  await chain.mined(swapThroughRouter(chain, { from: bob, token: beta.token, side: 'buy', amountIn: parseEther('0.2') }))
  await chain.mined(transfer(chain, { from: bob, currency: alpha.token, to: alice, amount: 10n ** 20n }))
}
