import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Anvil, type AnvilOptions, startAnvil } from '#devchain/anvil.ts'
import { createDevClient } from '#devchain/client.ts'
import { startWatchdog } from '#devchain/startWatchdog.ts'
import { listeningAddress } from '#test/support/listeningAddress.ts'

const started: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of started.splice(0).reverse()) await stop()
})

async function start(options: AnvilOptions = {}): Promise<Anvil> {
  const watchdog = startWatchdog()
  started.push(() => watchdog.stop())
  const anvil = await startAnvil({ ...options, watchdog })
  started.push(() => anvil.stop())
  return anvil
}

describe('startAnvil', () => {
  it('answers as soon as it resolves, with the given chain, accounts and time', async () => {
    const anvil = await start({ chainId: 4_242, accounts: 3, timestamp: 1_700_000_000 })
    const client = createDevClient(anvil.url)
    expect(await client.getChainId()).toBe(4_242)
    expect(await client.getAddresses()).toHaveLength(3)
    expect(await client.getBlock()).toMatchObject({ number: 0n, timestamp: 1_700_000_000n })
  })

  it('mines nothing by itself without a block time', async () => {
    const manual = createDevClient((await start()).url)
    const [from] = await manual.getAddresses()
    await manual.sendTransaction({ account: from ?? null, chain: null, to: from ?? null, value: 1n })
    const interval = createDevClient((await start({ blockTimeMs: 50 })).url)
    await expect.poll(() => interval.getBlockNumber()).toBeGreaterThan(2n)
    expect(await manual.getBlockNumber()).toBe(0n)
  })

  it('listens on the loopback address only', async () => {
    const { port } = await start()
    expect(await listeningAddress(port)).toBe('127.0.0.1')
  })

  it('fails with the output of anvil when the port is in use, and leaves nothing running', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    started.push(() => new Promise(resolve => void server.close(resolve)))
    await new Promise(resolve => void server.once('listening', resolve))
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    await expect(start({ port })).rejects.toThrow(/in use/i)
  })

  it('ends when it is stopped, and can be stopped twice', async () => {
    const anvil = await start()
    await anvil.stop()
    await expect(anvil.exited).resolves.toBeUndefined()
    await anvil.stop()
    expect(() => process.kill(anvil.pid, 0)).toThrow('ESRCH')
  })
})
