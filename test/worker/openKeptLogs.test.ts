import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import { toAddress } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { readTableSizes } from '#store/reads/chainStats.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { openOrm, silentLogger, type TestDatabase, useDatabase } from '#test/support/database.ts'
import { wordOf } from '#test/support/rows.ts'
import { createSimulatedChain } from '#test/support/simulatedChain.ts'
import { type OpenedKeptLogs, openKeptLogs } from '#worker/openKeptLogs.ts'

const keeping = await useDatabase()
const fresh = await useDatabase()
const HASH = wordOf(7)
const SENDER = toAddress(`0x${'5e'.repeat(20)}`)
const TRANSACTION = { txHash: HASH, blockHash: HASH, txIndex: 0 }
const CALLS = {
  number: 1,
  hash: HASH,
  calls: [
    { to: SENDER, data: '0x01' },
    { to: SENDER, data: '0x02' },
  ],
} as const

const simulated = createSimulatedChain()
const genesisHash = simulated.at(0).header.hash
let asked = 0
const source = {
  ...createChainSource({ rpc: createChainRpc([simulated]) }),
  senders: async () => {
    asked++
    return new Map([[HASH, SENDER]])
  },
  answers: async () => {
    asked++
    return new Map([[HASH, ['0xab', null] as const]])
  },
}
const opened: OpenedKeptLogs[] = []

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const run = async (url: string, ...args: readonly string[]) => {
  const env = { PATH: process.env['PATH'], DATABASE_URL: url, LOG_LEVEL: 'silent' }
  return (await promisify(execFile)(process.execPath, ['src/commands/dbLogs.ts', ...args], { env })).stdout
}

it('asks the chain once for senders and answers of contracts, for all databases that read them from the first', async () => {
  const first = await open(keeping, { keepLogs: true })
  for (const kept of [first, await open(fresh, { logsFrom: keeping.url })]) {
    expect(await kept.facts.senders([TRANSACTION])).toEqual(new Map([[HASH, SENDER]]))
    expect(await kept.facts.answers([CALLS])).toEqual(new Map([[HASH, ['0xab', null]]]))
    await kept.close()
  }
  expect(asked).toBe(2)
})

it('is shown, counted and dropped by npm run db:logs', async () => {
  await keepRange(await open(keeping, { keepLogs: true }))
  for (const one of opened.splice(0)) await one.close()
  const sizes = await readTableSizes(keeping.kysely)
  expect(sizes.map(({ table }) => table)).toEqual(expect.arrayContaining(['tokenwire_logs.range', 'tokenwire_logs.fact', 'trade']))
  expect(await run(keeping.url)).toMatch(/^Kept: 0 logs of blocks 0 to 2 and \d senders and answers of contracts, 0\.\d MiB\.\n$/)
  expect(await run(keeping.url, 'drop')).toMatch(/^Dropped: 0 logs of blocks 0 to 2 /)
  expect(await run(keeping.url)).toBe('No logs are kept.\n')
})

it('refuses kept logs of another chain, and a database without any, in one sentence', async () => {
  await open(keeping, { keepLogs: true })
  await expect(open(fresh, { logsFrom: keeping.url }, 8453)).rejects.toMatchObject({
    code: 'database_foreign',
    message: 'LOGS_FROM: its kept logs are of chain 1, and the RPC serves chain 8453; name a database of this chain, or none',
  })
  await expect(open(keeping, {}, 8453)).rejects.toThrow('DATABASE_URL: its kept logs are of chain 1')
  await expect(open(keeping, { logsFrom: fresh.url })).rejects.toThrow('LOGS_FROM: the database has no kept logs; set another one, or none')
})

it('goes on without them where the role may not create their schema', async () => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(fresh.kysely)
  const name = String(rows[0]?.name)
  await sql`create role ${sql.id(name)} login password 'p'`.execute(fresh.kysely)
  const url = new URL(fresh.url)
  Object.assign(url, { username: name, password: 'p' })
  const orm = openOrm(url.href)
  const warned: unknown[] = []
  const logger = { warn: (...line: unknown[]) => warned.push(line.at(-1)) } as unknown as typeof silentLogger
  const config = { keepLogs: true, logsFrom: null, verifyLogs: 'bloom' } as const
  const kept = await openKeptLogs({ config, chain: { source, chainId: 1, genesisHash }, orm, adapters: [], logger })
  expect(kept.ranges).toBe(source)
  expect(warned).toEqual([expect.stringContaining('let the role create schemas (grant create on database), or set KEEP_LOGS=false')])
  await orm.close(true)
  await sql`drop role ${sql.id(name)}`.execute(fresh.kysely)
})

async function open({ orm }: TestDatabase, config: { readonly keepLogs?: boolean; readonly logsFrom?: string }, chainId = 1) {
  const chain = { source, chainId, genesisHash }
  const settings = { keepLogs: false, logsFrom: null, verifyLogs: 'bloom', ...config } as const
  const one = await openKeptLogs({ config: settings, chain, orm, adapters: [], logger: silentLogger })
  opened.push(one)
  return one
}

async function keepRange(kept: OpenedKeptLogs): Promise<void> {
  const [first, last] = [0, 2].map(
    (number): BlockHeader => ({ number, hash: wordOf(number), parentHash: wordOf(number - 1 || 9), timestamp: number }),
  )
  if (first === undefined || last === undefined) throw new Error('two blocks')
  const watched = { addresses: [SENDER], topics: [HASH] }
  await kept.ranges.fetched?.({ first, last, headers: [], logs: [], watched, announced: new Map(), isKept: false })
}
