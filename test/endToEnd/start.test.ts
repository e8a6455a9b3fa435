import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { serviceFolder, spawnService } from '#test/support/service.ts'
import { slowLoading } from '#test/support/slowLoading.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

/* A start that fails prints one message that names what to change, and ends with an exit code for the supervisor. */

const database = await useDatabase({ migrated: false })

const chain = await startTestChain()
const folder = await serviceFolder(chain)

const SECRET = 'hunter2hunter2'

async function failedStart(env: Readonly<Record<string, string>>, cwd = folder.folder): Promise<{ code: number | null; output: string }> {
  const { process: child, exited, output } = spawnService({ ...folder.env, DATABASE_URL: database.url, ...env }, cwd)
  // A start that succeeds after all would be waited for without end.
  child.on('message', () => child.kill('SIGKILL'))
  const code = await exited
  expect(output()).not.toContain(SECRET)
  expect(output()).not.toMatch(/\n\s+at /)
  return { code, output: output() }
}

describe('a start fails with one clear message', () => {
  test('without RPC_URLS, which mentions npm run dev', async () => {
    const { code, output } = await failedStart({ RPC_URLS: '' })
    expect(output).toMatch(/RPC_URLS/)
    expect(output).toMatch(/npm run dev/)
    expect(code).toBe(1)
  })

  test('that names every wrong variable, also of .env', async () => {
    const { path: cwd } = await makeTemporaryFolder()
    await writeFile(path.join(cwd, '.env'), 'MAX_CONNECTIONS=many\n')
    const wrong = { PORT: '70000', CONFIRMATIONS: 'soon', LOG_LEVEL: 'loud', RPC_URLS: `ftp://x/${SECRET}` }
    const { code, output } = await failedStart(wrong, cwd)
    for (const name of [...Object.keys(wrong), 'MAX_CONNECTIONS']) expect(output).toContain(name)
    expect(code).toBe(1)
  })

  test('for a wrong launchpads.json, with the place in the file', async () => {
    const wrong = path.join(folder.folder, 'wrong.json')
    await writeFile(
      wrong,
      JSON.stringify({
        weth: chain.deployment.weth,
        launchpads: [{ name: 'a', adapter: 'bonding-curve', factory: '0x12', startBlock: 0 }],
      }),
    )
    const { code, output } = await failedStart({ LAUNCHPADS_FILE: wrong })
    expect(output).toMatch(/launchpads\[0\]\.factory/)
    expect(output).toMatch(/expected an address/)
    expect(code).toBe(1)
  })

  test('for a provider of another chain', async () => {
    const { code, output } = await failedStart({ CHAIN_ID: '8453' })
    expect(output).toMatch(/CHAIN_ID/)
    expect(output).toMatch(/8453/)
    expect(output).toMatch(/31337/)
    expect(code).toBe(1)
  })

  test('for providers that do not answer, with exit code 75', async () => {
    const { code, output } = await failedStart({ RPC_URLS: `http://127.0.0.1:9/${SECRET}` })
    expect(output).toMatch(/rpc/i)
    expect(code).toBe(75)
  })

  test('for a database that does not answer, with exit code 75', async () => {
    const { code, output } = await failedStart({ DATABASE_URL: `postgres://me:${SECRET}@127.0.0.1:9/tokens` })
    expect(output).toMatch(/127\.0\.0\.1:9/)
    expect(code).toBe(75)
  })

  test('for the database when neither it nor the chain answers', async () => {
    const databaseUrl = `postgres://user:${SECRET}@127.0.0.1:1/nothing`
    const { code, output } = await failedStart({ RPC_URLS: 'http://127.0.0.1:1', DATABASE_URL: databaseUrl })
    expect(output).toContain('DATABASE_URL')
    expect(output).not.toContain('RPC_URLS')
    expect(code).toBe(75)
  })

  test('for a wrong password', async () => {
    const url = new URL(database.url)
    url.password = SECRET
    const failed = await failedStart({ DATABASE_URL: url.href })
    expect(failed).toMatchObject({ code: 1, output: expect.stringMatching(/DATABASE_URL/) })
  })

  test('for a port that is taken, with exit code 75', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as { port: number }
    // It is tried first: the database, which does not answer, would be waited for, and a market simulated.
    const { code, output } = await failedStart({ PORT: String(port), DATABASE_URL: 'postgres://tokenwire@127.0.0.1:1/tokenwire' })
    expect(output).toContain(`PORT ${port}: cannot listen, something else listens there already`)
    expect(output).not.toContain('DATABASE_URL')
    expect(code).toBe(75)
    holder.close()
  })

  test('for a database of another WETH', async () => {
    const other = path.join(folder.folder, 'other.json')
    const { launchpad: factory } = chain.deployment
    const launchpads = [{ name: 'other', adapter: 'bonding-curve', factory, startBlock: 0 }]
    await writeFile(other, JSON.stringify({ weth: factory, launchpads }))
    // Claims the database for the reference launchpad.
    const first = await folder.start({ DATABASE_URL: database.url })
    expect(await first.stop()).toBe(0)
    const { code, output } = await failedStart({ LAUNCHPADS_FILE: other })
    expect(output).toMatch(/built from launchpads quoted in WETH at/)
    expect(code).toBe(1)
  })

  test('for a database that another service writes, with exit code 75', async () => {
    // Whose modules take longer to load than a connection may take to open.
    const first = await folder.start({ DATABASE_URL: database.url, ...slowLoading() })
    const { code, output } = await failedStart({})
    expect(output).toMatch(/another running Tokenwire indexes into this database/)
    expect(code).toBe(75)
    expect(await first.stop()).toBe(0)
  })
})
