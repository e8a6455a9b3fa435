import { sql } from 'kysely'
import pino from 'pino'
import { type Address, toAddress } from '#domain/address.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { restoreDirectory } from '#worker/restoreDirectory.ts'

/*
 * npm run bench:directory -- [tokens]. Rows of tokens with one Uniswap v3 pool each in a PostgreSQL of its own: how long a start takes to
 * read them into the directory, how much memory that takes, and what a look-up and the undoing of a block cost then.
 */

const TOKENS = Number(process.argv[2] ?? 1_000_000)
const LOOKUPS = 200_000
const MEBIBYTE = 2 ** 20
const logger = pino({ level: 'silent' })
const print = (text: string) => void process.stdout.write(`${text}\n`)
const now = () => performance.now()

const { gc } = globalThis
if (gc === undefined) throw new TypeError('run it with npm run bench:directory, which exposes the garbage collector')
const usedBytes = () => {
  gc()
  gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** The server, which is stopped last, does not keep this process alive. */
const alive = setInterval(() => {}, 1_000)
const WETH = addressAt(0, 'f')
const folder = await makeTemporaryFolder()
const server = await startEmbedded({ dataDir: folder.path, logger, durable: false })
const orm = createOrm(server.url, logger, { statementTimeoutMs: 0 })
try {
  await migrate(server.url, logger)
  await measure()
} finally {
  await orm.close(true)
  await server.stop()
  await folder.remove()
  clearInterval(alive)
}

async function measure(): Promise<void> {
  const filledFromMs = now()
  await fill(orm.em.getKysely<unknown>())
  print(`${TOKENS} tokens written in ${seconds(filledFromMs)} s`)

  const launchpads = [{ name: 'bench', adapter: 'bonding-curve', startBlock: 1, contracts: { factory: addressAt(1, 'f') } }]
  const before = usedBytes()
  const loadedFromMs = now()
  const cpuFrom = process.cpuUsage()
  let peakBytes = 0
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage().rss)
  }, 100)
  const directory = await restoreDirectory(createAdapters({ weth: WETH, launchpads }), createTransaction(orm))
  clearInterval(watch)
  const cpu = process.cpuUsage(cpuFrom)
  const cpuSeconds = ((cpu.user + cpu.system) / 1e6).toFixed(1)
  print(
    `read in ${seconds(loadedFromMs)} s, of which ${cpuSeconds} s of processor here, at most ${Math.round(peakBytes / MEBIBYTE)} MiB resident`,
  )
  const bytes = usedBytes() - before
  print(`${(bytes / TOKENS).toFixed(1)} bytes a token, ${Math.round(bytes / MEBIBYTE)} MiB of heap and external memory`)

  const spread = (index: number) => (index * 7_919) % TOKENS
  report('of pools, anywhere', index => directory.lookup(addressAt(spread(index), 'a')))
  report('of pools, the same hundred', index => directory.lookup(addressAt(spread(index % 100), 'a')))
  report('of unknown addresses', index => directory.lookup(addressAt(index, 'c')))
  const undoneFromMs = now()
  directory.become(directory.upTo(TOKENS - 2))
  print(`${seconds(undoneFromMs)} s to undo the newest block`)
}

function report(what: string, look: (index: number) => unknown): void {
  const beganMs = now()
  for (let index = 0; index < LOOKUPS; index++) look(index)
  print(`${(((now() - beganMs) / LOOKUPS) * 1e6).toFixed(0)} ns a look-up ${what}, with the making of its key`)
}

/** Rows as tokens have them after some trades. Without secondary indexes, which a load does not read. */
async function fill(db: Queryable): Promise<void> {
  await sql`do $$ declare found record; begin
    for found in select indexrelid::regclass as name from pg_index
      where indrelid in ('token'::regclass, 'pool'::regclass) and not indisprimary
    loop execute 'drop index ' || found.name; end loop; end $$`.execute(db)
  const word = (digit: string) => `decode('${digit}' || lpad(to_hex(n), 39, '0'), 'hex')`
  await insert(db, 'token', {
    address: word('b'),
    launchpad: `'bench'`,
    symbol: `'T' || n`,
    name: `'Token number ' || n`,
    metadata_uri: `'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy' || n`,
    decimals: '18',
    created_block: 'n',
    main_pool: word('a'),
    price_weth: 'n',
    graduation_status: `'none'`,
  })
  await insert(db, 'pool', {
    address: word('a'),
    token: word('b'),
    launchpad: `'bench'`,
    type: `'uniswap-v3'`,
    quote_token: `decode('${WETH.slice(2)}', 'hex')`,
    token_is_token0: 'true',
    fee_bps: '100',
    created_block: 'n',
  })
}

/** Columns that must have a value and are not given get a zero. */
async function insert(db: Queryable, table: string, given: Readonly<Record<string, string>>): Promise<void> {
  const { rows } = await sql<{ name: string; type: string }>`
    select column_name as name, data_type as type from information_schema.columns
    where table_name = ${table} and is_nullable = 'NO' and column_default is null and is_generated = 'NEVER'`.execute(db)
  const zeros: Readonly<Record<string, string>> = { bytea: `'\\x${'00'.repeat(20)}'::bytea`, text: `''`, boolean: 'false' }
  const missing = rows.filter(({ name }) => given[name] === undefined).map(({ name, type }) => [name, zeros[type] ?? '0'] as const)
  const columns = [...Object.entries(given), ...missing]
  const text = `insert into ${table} (${columns.map(([name]) => name).join(', ')})
    select ${columns.map(([, value]) => value).join(', ')} from generate_series(0, ${TOKENS - 1}) as n`
  await sql.raw(text).execute(db)
}

function addressAt(index: number, digit: string): Address {
  return toAddress(`0x${digit}${index.toString(16).padStart(39, '0')}`)
}

function seconds(fromMs: number): string {
  return ((now() - fromMs) / 1_000).toFixed(1)
}
