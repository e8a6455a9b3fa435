import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { chainStateRow, insertRows } from '#test/support/rows.ts'
import { serviceFolder } from '#test/support/service.ts'

const database = await useDatabase()

const chain = await startTestChain()
await chain.mine(8)
const service = await serviceFolder(chain)
await insertRows(database.kysely, 'chain_state', [chainStateRow()])
for (let number = 0n; number <= 8n; number++) {
  const { hash, parentHash, timestamp } = await chain.client.getBlock({ blockNumber: number })
  const row = { number: Number(number), hash, parent_hash: parentHash, timestamp: Number(timestamp), joined: false }
  await insertRows(database.kysely, 'block', [row])
}

async function check(...args: readonly string[]) {
  const env = { ...service.env, PATH: process.env['PATH'], DATABASE_URL: database.url, LOG_LEVEL: 'silent' }
  return promisify(execFile)(process.execPath, ['src/commands/dbCheck.ts', ...args], { env }).then(
    ({ stdout, stderr }) => `0 ${stdout}${stderr}`,
    (error: { code: number; stdout: string; stderr: string }) => `${error.code} ${error.stdout}${error.stderr}`,
  )
}

it('compares every stored block with the chain, and names the first wrong one with what to do', async () => {
  expect(await check()).toBe('0 9 stored blocks are as the chain shows them.\n')
  await sql`update block set timestamp = timestamp + 3600 where number in (4, 6)`.execute(database.kysely)
  expect(await check()).toMatch(/^1 Block 4 is stored with the time \d+, and the chain shows \d+\. .* npm run db:rewind -- 4\n$/)
  expect(await check('7')).toBe('0 2 stored blocks are as the chain shows them.\n')
  expect(await check('head')).toBe('1 usage: npm run db:check -- [first block]\n')
})
