import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'

/* What decision 0066 says of state and results, as far as a pattern finds it. */

const MAX_VARIABLES = 6
/** `ok` is public there: the client's `Result`, and the database in the health. */
const PUBLIC_OK = /^src\/(?:client|console)\/|^src\/gateway\/(?:health\/readHealth|http\/sources)\.ts$/

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
  expect(filesWith(/\bok: (?:true|false)\b/).filter(file => !PUBLIC_OK.test(file))).toEqual([])
})

test('a tag is compared, not looked for', () => {
  expect(filesWith(/'(?:kind|ok|problem)' in /)).toEqual([])
})

test(`a closure has at most ${MAX_VARIABLES} variables that it changes`, () => {
  const changing = (text: string) => text.split(/^\}/m).map(part => (part.match(/^ {2}let /gm) ?? []).length)
  expect(sources.filter(({ text }) => Math.max(...changing(text)) > MAX_VARIABLES).map(({ file }) => file)).toEqual([])
})

test('a class extends errors and what libraries want to be extended', () => {
  const extended = sources.flatMap(({ text }) =>
    Array.from(text.matchAll(/\bclass(?: \w+(?:<\w+>)?)? extends ([\w.]+)/g), ([, name]) => name),
  )
  expect(new Set(extended)).toEqual(new Set(['Error', 'Migration', 'TokenwireError', 'Type', 'pool.Client']))
})
