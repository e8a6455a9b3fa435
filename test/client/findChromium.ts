import { existsSync } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * Where Chromium is; `null`: nowhere, and it is said that something stays unproved.
 *
 * @throws `Error` when it is missing where `CI=true`
 */
export function findChromium(): string | null {
  const found = PLACES.find(place => existsSync(place))
  if (found !== undefined) return found
  if (process.env['CI'] === 'true') throw new Error(`there is no Chromium at ${PLACES.join(', ')}`)
  process.stderr.write(`\nSKIPPED: there is no Chromium at ${PLACES.join(', ')}, and the examples were not tried in a browser\n\n`)
  return null
}
