import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { IDENTITY } from './loadTables.ts'

const START_TIMEOUT_MS = 120_000

/** `npm start` over the large database. */
export interface GrowthService {
  readonly url: string
  stop(): Promise<void>
}

export async function startGrowthService(databaseUrl: string, rpcUrl: string): Promise<GrowthService> {
  const folder = await mkdtemp(join(tmpdir(), 'tokenwire-growth-'))
  const launchpadsFile = join(folder, 'launchpads.json')
  const launchpads = IDENTITY.launchpads.map(({ contracts, ...launchpad }) => ({ ...launchpad, ...contracts }))
  await writeFile(launchpadsFile, JSON.stringify({ weth: IDENTITY.weth, launchpads }))
  const child = fork(new URL('../../../src/main.ts', import.meta.url), [], {
    env: {
      PATH: process.env['PATH'],
      RPC_URLS: rpcUrl,
      COINGECKO_URL: rpcUrl,
      COINBASE_URL: rpcUrl,
      DATABASE_URL: databaseUrl,
      LAUNCHPADS_FILE: launchpadsFile,
      CONFIRMATIONS: '0',
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const url = await listening(child)
  return {
    url,
    stop: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function listening(child: ChildProcess): Promise<string> {
  const timer = new AbortController()
  const late = pause(START_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() =>
    Promise.reject(new Error('the service does not listen')),
  )
  const ended = once(child, 'exit', { signal: timer.signal }).then(([code]) =>
    Promise.reject(new Error(`the service ended with ${String(code)}`)),
  )
  const told = new Promise<string>(resolve => {
    child.on('message', message => {
      const { type, url } = message as { readonly type: string; readonly url: string }
      if (type === 'listening') resolve(url)
    })
  })
  try {
    return await Promise.race([told, late, ended])
  } finally {
    late.catch(() => undefined)
    ended.catch(() => undefined)
    timer.abort()
  }
}
