import { accessSync, constants } from 'node:fs'
import path from 'node:path'

const NAMES = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  firefox: ['firefox-esr', 'firefox'],
} as const

/**
 * The path of a browser on this machine, or `null` with a warning: tests that need it are skipped.
 *
 * @throws `Error` when `CI` is set, where a missing browser is a fault of the machine
 */
export function findBrowser(browser: keyof typeof NAMES): string | null {
  const folders = ['/usr/bin', ...(process.env['PATH'] ?? '').split(path.delimiter)]
  const found = NAMES[browser].flatMap(name => folders.map(folder => path.join(folder, name))).find(isExecutable)
  if (found !== undefined) return found
  const message = `there is no ${browser} on this machine: apt-get install -y --no-install-recommends ${NAMES[browser][0]}`
  if ((process.env['CI'] ?? '') !== '') throw new Error(message)
  process.stderr.write(`\n!!! SKIPPED: ${message}\n!!! What needs it is NOT proved by this run.\n\n`)
  return null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
