import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { ROOT } from './root.ts'

/*
 * npm run pictures [-- chromium]: takes the README's pictures of the console, from the development chain. The traders are simulated, and the
 * console says so.
 */

const [executablePath = '/usr/bin/chromium'] = process.argv.slice(2)
const SIZE = { width: 1280, height: 800 }
const BLOCKS_AFTER_START = 20
const BLOCK_MS = 1_000

interface Listed {
  readonly data: readonly { readonly address: string }[]
}

const dataDir = await mkdtemp(path.join(tmpdir(), 'tokenwire-pictures-'))
const chain = spawn(process.execPath, ['src/devchain/dev.ts'], {
  cwd: ROOT,
  env: { ...process.env, DATA_DIR: dataDir, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const url = await serviceUrl()
  // Rows with changes of the last seconds show what the page is for.
  await pause(BLOCKS_AFTER_START * BLOCK_MS)
  const { data } = (await (await fetch(`${url}/api/tokens?sort=volume24h&limit=1`)).json()) as Listed
  const [busiest] = data
  if (busiest === undefined) throw new Error('the development chain has no tokens')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  await mkdir(path.join(ROOT, 'docs/pictures'), { recursive: true })
  for (const [name, hash, colorScheme] of [
    ['market', '', 'dark'],
    ['token', `#/token/${busiest.address}`, 'light'],
  ] as const) {
    const page = await browser.newPage({ viewport: SIZE, colorScheme })
    await page.goto(`${url}/${hash}`)
    await page.locator('main table tbody tr').first().waitFor()
    await pause(BLOCK_MS * 3)
    await page.screenshot({ path: path.join(ROOT, `docs/pictures/${name}.png`) })
  }
  await browser.close()
} finally {
  chain.kill('SIGINT')
  await once(chain, 'exit')
  await rm(dataDir, { recursive: true, force: true })
}

/** The console's address, from what the chain prints once everything runs. */
async function serviceUrl(): Promise<string> {
  let printed = ''
  for await (const chunk of chain.stdout) {
    printed += String(chunk)
    const found = /Console\s+(http:\S+?)\/\s/.exec(printed)
    if (found?.[1] !== undefined) return found[1]
  }
  throw new Error(`the development chain has ended:\n${printed}`)
}
