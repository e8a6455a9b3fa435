import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import type { Deployment } from '#devchain/deploy.ts'
import type { Factories } from '#devchain/deployFactories.ts'
import { isReady } from '#devchain/dev/isReady.ts'
import { launchpadsFile } from '#devchain/dev/launchpadsFile.ts'
import { startServiceProcess } from '#devchain/dev/serviceProcess.ts'
import { createShutdown } from '#devchain/dev/shutdown.ts'
import { summary } from '#devchain/dev/summary.ts'
import { startWatchdog } from '#devchain/startWatchdog.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { VERSION } from '#package'
import { startTestChain } from '#test/support/chain.ts'
import { addFactories } from '#test/support/factories.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

describe('startServiceProcess', () => {
  const watchdog = startWatchdog()
  afterAll(() => watchdog.stop())

  async function start(script: string) {
    const file = path.join((await makeTemporaryFolder()).path, 'service.mjs')
    await writeFile(file, script)
    return startServiceProcess({ script: file, env: { ...process.env, MESSAGE: 'from the environment' }, watchdog })
  }

  it('reports where the service listens, and ignores other messages', async () => {
    const service = await start(`
      process.send('hello'); process.send({ type: 'listening', url: 7 })
      process.send({ type: 'listening', url: process.env.MESSAGE, databaseUrl: 'postgres://somewhere' })
      setInterval(() => {}, 1000)`)
    expect(await service.listening).toMatchObject({ url: 'from the environment', databaseUrl: 'postgres://somewhere' })
    await service.stop()
    expect(await service.exited).toBeNull()
  })

  it('reports when the service ended before it listened, with its exit code', async () => {
    const service = await start('process.exit(75)')
    expect(await service.listening).toBeNull()
    expect(await service.exited).toBe(75)
    await service.stop()
  })
})

describe('isReady', () => {
  const servers: ReturnType<typeof createServer>[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  async function serve(status: number): Promise<string> {
    const server = createServer((request, response) => response.writeHead(request.url === '/readyz' ? status : 404).end())
    servers.push(server)
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', () => resolve()))
    const address = server.address()
    return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`
  }

  it.each([
    [200, true],
    [503, false],
    [404, false],
  ])('reads status %d as %s', async (status, ready) => {
    expect(await isReady(await serve(status))).toBe(ready)
  })

  it('is false when the service does not answer', async () => {
    const url = await serve(200)
    for (const server of servers.splice(0)) await new Promise(resolve => void server.close(resolve))
    expect(await isReady(url)).toBe(false)
  })
})

describe('createShutdown', () => {
  it('runs the steps in reverse order, all of them when one fails', async () => {
    const undone: string[] = []
    const shutdown = createShutdown(error => undone.push(String(error)))
    shutdown.add(() => Promise.resolve(undone.push('first')))
    shutdown.add(() => Promise.reject(new Error('stuck')))
    shutdown.add(() => Promise.resolve(undone.push('last')))
    expect(shutdown.signal.aborted).toBe(false)
    await shutdown.run()
    expect(shutdown.signal.aborted).toBe(true)
    expect(undone).toEqual(['last', 'Error: stuck', 'first'])
  })

  it('runs a step at once that is added later', async () => {
    const shutdown = createShutdown(() => undefined)
    await shutdown.run()
    const undone = new Promise<void>(resolve => {
      shutdown.add(async () => resolve())
    })
    await expect(undone).resolves.toBeUndefined()
  })
})

describe('the printed summary and the launchpads file', () => {
  let deployment: Deployment
  let factories: Factories
  beforeAll(async () => {
    const chain = await startTestChain()
    deployment = chain.deployment
    factories = (await addFactories(chain)).factories
    await chain.stop()
  })

  const input = {
    serviceUrl: 'https://127.0.0.1:3000',
    gatewayUrls: ['https://127.0.0.1:3001'],
    indexerUrl: 'http://127.0.0.1:4000',
    rpcUrl: 'http://127.0.0.1:8545',
    devFile: '/data/dev.json',
    seed: 9,
    token: null,
  }

  it('the summary contains no password', () => {
    const text = summary({ ...input, deployment, factories, databaseUrl: 'postgres://user:hunter2@127.0.0.1:5432/tokenwire' })
    expect(text).not.toContain('hunter2')
    expect(text).toMatch(/Service +https:\/\/127\.0\.0\.1:3000, https:\/\/127\.0\.0\.1:3001\n +Indexer +http:\/\/127\.0\.0\.1:4000 /)
    expect(text).toContain('postgres://user@127.0.0.1:5432/tokenwire')
    for (const path of ['docs', 'mcp', 'llms.txt', 'api/indexer/health']) expect(text).toContain(`https://127.0.0.1:3000/${path}`)
    expect(text).toContain(`version ${VERSION}`)
    expect(summary({ ...input, deployment, factories, databaseUrl: 'host=/run user=x password=hunter2' })).not.toContain('hunter2')
  })

  it('the service accepts the launchpads file', () => {
    const result = parseLaunchpads(launchpadsFile(deployment, factories), ADAPTER_KINDS)
    const { weth, launchpad: factory, startBlock: first } = deployment
    const { startBlock, dollar, dollarPool, dollarLaunchpad, v4 } = factories
    const { launchpad, feeLocker, poolManager } = v4
    const settings = { events: expect.objectContaining({ quoteToken: dollar }) as unknown }
    const launchpads = [
      { name: 'reference', adapter: 'bonding-curve', startBlock: first, contracts: { factory } },
      { name: 'reference-dollar', adapter: 'bonding-curve', startBlock, contracts: { factory: dollarLaunchpad }, settings },
      { name: 'dollar', adapter: 'quote-pool', startBlock, contracts: { token: dollar, pool: dollarPool } },
      { name: 'reference-v4', adapter: 'clanker-v4', startBlock, contracts: { factory: launchpad, feeLocker, poolManager } },
    ]
    expect(result).toEqual({ kind: 'valid', value: { weth, pegUsd: [{ token: dollar, decimals: 6 }], launchpads } })
  })
})
