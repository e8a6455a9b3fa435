import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'

/* What decision 0066 says of state and results, as far as a pattern finds it. */

const MAX_VARIABLES = 6
/** `ok` is public there: the client's `Result`, and the database in the health. */
const PUBLIC_OK = /^src\/(?:client|console)\/|^src\/gateway\/health\/databaseProbe\.ts$/
/** To be converted. Both lists only get shorter. */
const OTHER_RESULTS = [
  'src/configuration/addresses.ts',
  'src/configuration/apiKeys.ts',
  'src/configuration/launchpads.ts',
  'src/gateway/http/cursor.ts',
  'src/gateway/http/parameters.ts',
  'src/gateway/realtime/channelFilters.ts',
  'src/gateway/realtime/channelRequest.ts',
  'src/launchpads/mapping/claimCall.ts',
  'src/launchpads/mapping/compile.ts',
  'src/launchpads/mapping/entries.ts',
  'src/launchpads/mapping/signature.ts',
]
const TAGS_LOOKED_FOR = [
  'src/gateway/http/dispatch.ts',
  'src/gateway/http/routes/integrations/dextools.ts',
  'src/gateway/http/routes/integrations/marketData/blockAdapter.ts',
  'src/gateway/http/routes/integrations/marketData/siteRoute.ts',
  'src/jobs/holders/fetchHolderCodes.ts',
]

const sources = await Promise.all(
  (await Promise.all(['src', 'actors'].map(filesOf))).flat().map(async file => ({ file, text: await readFile(file, 'utf8') })),
)

async function filesOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true })
  return names.filter(name => /\.tsx?$/.test(name) && !name.includes('generated')).map(name => path.join(folder, name))
}

const filesWith = (pattern: RegExp) =>
  sources
    .filter(({ text }) => pattern.test(text))
    .map(({ file }) => file)
    .toSorted()

test('a result is a union with `kind`, not with `ok`', () => {
  expect(filesWith(/\bok: (?:true|false)\b/).filter(file => !PUBLIC_OK.test(file))).toEqual(OTHER_RESULTS)
})

test('a tag is compared, not looked for', () => {
  expect(filesWith(/'(?:kind|ok|problem)' in /)).toEqual(TAGS_LOOKED_FOR)
})

test(`a closure has at most ${MAX_VARIABLES} variables that it changes`, () => {
  expect(sources.filter(({ text }) => (text.match(/^ {2}let /gm) ?? []).length > MAX_VARIABLES)).toEqual([])
})

test('a class extends errors and what libraries want to be extended', () => {
  const extended = sources.flatMap(({ text }) =>
    Array.from(text.matchAll(/\bclass(?: \w+(?:<\w+>)?)? extends ([\w.]+)/g), ([, name]) => name),
  )
  expect(new Set(extended)).toEqual(new Set(['Error', 'Migration', 'TokenwireError', 'Type', 'pool.Client']))
})
