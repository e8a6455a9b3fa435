import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { type Service, serviceFolder } from '#test/support/service.ts'

/* The indexing thread fails or hangs in a running service. */

const database = await useDatabase()
let service: Service | undefined
let starts = 0

const SECRET = 'keyOfTheProvider'

const chain = await startTestChain()
const folder = await serviceFolder(chain)

afterAll(async () => {
  if (service?.process.exitCode === null) service.process.kill('SIGKILL')
})

/** Starts a service whose indexing thread runs the code once `go` is called. */
async function startWith(action: string): Promise<{ readonly service: Service; go(): Promise<void> }> {
  const trigger = path.join(folder.folder, `go-${++starts}`)
  const code = `import { isMainThread } from 'node:worker_threads'
    import { existsSync } from 'node:fs'
    if (!isMainThread) setInterval(() => { if (existsSync(${JSON.stringify(trigger)})) { ${action} } }, 20)`
  service = await folder.start({
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}`,
    RPC_URLS: `${chain.anvil.url}/?key=${SECRET}`,
    DATABASE_URL: database.url,
    LOG_FORMAT: 'json',
  })
  return { service, go: () => writeFile(trigger, '') }
}

const linesOf = (output: string) =>
  output
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { level: string; time: string; msg: string; err?: { message: string } })

test('a thread that throws ends the service with exit code 1 and a line in the log', async () => {
  const { service, go } = await startWith(`throw new Error('a defect at ${SECRET}')`)
  const ended = new Promise(resolve => service.process.once('close', resolve))
  await go()
  expect(await ended).toBe(1)
  expect(service.output()).not.toContain(SECRET)
  expect(linesOf(service.output()).at(-1)).toMatchObject({ level: 'fatal', msg: 'crashed', err: { message: 'a defect at [redacted]' } })
})

test('a thread that hangs makes readyz 503 while the API still answers', async () => {
  const { service, go } = await startWith('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)')
  const readyz = () => fetch(`${service.url}/readyz`)
  while ((await readyz()).status !== 200) await pause(20)
  await go()
  const said = async () => {
    const answer = await readyz()
    return `${answer.status}: ${await answer.text()}`
  }
  // Polled for the text: the service of a busy machine may not be ready for a moment before.
  await expect.poll(said).toMatch(/^503: .*the indexing thread has not answered for \d+ s/s)
  expect((await fetch(`${service.url}/api/tokens`)).status).toBe(200)
})
