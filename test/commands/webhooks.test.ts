import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { moveWebhook, readWebhooks, takeWebhook } from '#store/rows/webhookPositions.ts'
import { answering, Receiver } from '#test/jobs/webhooks/receiver.ts'
import { useDatabase } from '#test/support/database.ts'
import { chainStateRow, insertRows } from '#test/support/rows.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

const { kysely, url } = await useDatabase()
const folder = await makeTemporaryFolder()
const file = path.join(folder.path, 'webhooks.json')

const receiver = await new Receiver().open()
await writeFile(file, JSON.stringify([receiver.config('bot'), receiver.config('new', { channel: 'launches' })]))
await insertRows(kysely, 'chain_state', [chainStateRow({ cursor_number: 50 })])
await moveWebhook(kysely, await takeWebhook(kysely, 'bot', null), { place: { blockNumber: 40, logIndex: 2 }, reorgs: 0 })
await sql`update webhook_position set is_paused = true, last_error = 'it answers 500'`.execute(kysely)

/** What the command prints, and its exit code. */
function run(...args: readonly string[]) {
  return runOn(url, ...args)
}

async function runOn(databaseUrl: string, ...args: readonly string[]): Promise<readonly [output: string, code: number]> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' }
  const command = execFile(process.execPath, ['src/commands/webhooks.ts', ...args], { env })
  let output = ''
  for (const stream of [command.stdout, command.stderr]) stream?.on('data', chunk => (output += String(chunk)))
  const code = await new Promise<number>(resolve => void command.once('close', resolve))
  return [output.trim(), code]
}

it('lists webhooks with how far they are, and no secret', async () => {
  expect(await run('list')).toEqual(['bot (trades): paused: it answers 500; sent up to block 40\nnew (launches): not begun', 0])
})

it('tests a receiver, and says what it answers', async () => {
  expect(await run('test', 'bot')).toEqual(['The receiver of bot has taken a test.', 0])
  expect(receiver.deliveries.at(-1)?.message).toEqual({ type: 'test', id: 'bot' })
  receiver.answer = answering(503)
  expect(await run('test', 'bot')).toEqual(['The receiver of bot has not taken a test: it answers 503', 1])
  expect(await run('test', 'other')).toEqual(['there is no webhook other in WEBHOOKS_FILE (bot, new)', 1])
})

it('has a paused webhook go on, from where it stopped or from a place', async () => {
  expect(await run('replay', 'bot')).toEqual(['bot goes on where it stopped.', 0])
  expect(await readWebhooks(kysely)).toMatchObject([{ isPaused: false, position: { place: { blockNumber: 40, logIndex: 2 } } }])
  expect(await run('replay', 'bot', '--after', '12-3')).toEqual(['bot is sent again everything after 12-3.', 0])
  expect(await readWebhooks(kysely)).toMatchObject([{ position: { place: { blockNumber: 12, logIndex: 3 } } }])
  // It was taken for a place of another database: the receiver was told that everything is void, and was sent nothing again.
  expect(await run('replay', 'bot', '--after', '51-0')).toEqual(['51-0 is not indexed yet: the newest block is 50', 1])
  expect(await readWebhooks(kysely)).toMatchObject([{ position: { place: { blockNumber: 12, logIndex: 3 } } }])
  expect(await run('replay', 'new')).toEqual(['new has not begun, and has nothing to replay', 1])
  expect(await run('replay', 'bot', '--after', 'yesterday')).toEqual([expect.stringContaining('usage: npm run webhooks'), 1])
})

// It ended with 1 and "error: relation … does not exist", or with "Error: connect ECONNREFUSED", which may pass.
it('says what is wrong with the database, and whether to try again', async () => {
  const { url: empty } = await useDatabase({ migrated: false })
  expect(await runOn(empty, 'list')).toEqual(['DATABASE_URL: there is no index of this version in the database', 1])
  const nowhere = 'postgres://tokenwire@127.0.0.1:1/tokenwire'
  expect(await runOn(nowhere, 'list')).toEqual([
    expect.stringMatching(/^DATABASE_URL: at .*the database is not reachable: start Postgre/),
    75,
  ])
})
