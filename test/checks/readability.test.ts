import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'

const MAX_COMMENT_COLUMNS = 140
const MAX_FILE_LINES = 600
const MAX_OPENING_LINES = 60
const FIRST_TEST = /^\s*(?:test|it)\b[(.]/
const EXPORT = /^export (?:declare )?(?:async )?(?:function\*?|const|class|interface|type|enum|let)\s+(?<name>\w+)/gm
const OTHER_BOUND = /\bconst (?:MOST|LONGEST|LEAST|FEWEST)_\w+/g
const COMMENT = /^\s*(?:\/\/|\/?\*)/

const sources = await Promise.all(
  (await Promise.all(['src', 'actors'].map(filesOf))).flat().map(async file => {
    const text = await readFile(file, 'utf8')
    return { file, text, lines: text.trimEnd().split('\n') }
  }),
)

async function filesOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true })
  return names.filter(name => /\.tsx?$/.test(name) && !name.includes('generated')).map(name => path.join(folder, name))
}

test('the sources are read', () => {
  expect(sources.length).toBeGreaterThan(300)
})

test('no exported name is declared in two files', () => {
  const files = new Map<string, string[]>()
  for (const { file, text } of sources) {
    for (const { groups } of text.matchAll(EXPORT)) files.set(groups?.['name'] ?? '', [...(files.get(groups?.['name'] ?? '') ?? []), file])
  }
  expect([...files].filter(([, declaring]) => new Set(declaring).size > 1)).toEqual([])
})

test('a bound is named MAX_ or MIN_, by no other word', () => {
  expect(sources.flatMap(({ file, text }) => (text.match(OTHER_BOUND) ?? []).map(found => `${file}: ${found}`))).toEqual([])
})

test(`no comment is longer than ${MAX_COMMENT_COLUMNS} columns`, () => {
  const isLong = (line: string) => COMMENT.test(line) && line.length > MAX_COMMENT_COLUMNS
  const long = sources.flatMap(({ file, lines }) => lines.flatMap((line, index) => (isLong(line) ? [`${file}:${index + 1}`] : [])))
  expect(long).toEqual([])
})

test(`no file is longer than ${MAX_FILE_LINES} lines`, () => {
  expect(sources.filter(({ lines }) => lines.length > MAX_FILE_LINES).map(({ file }) => file)).toEqual([])
})

/** Programs with a configuration each, and the plans of every query. */
const LONG_OPENINGS = ['deploy/proxies.test.ts', 'store/growth.test.ts']

test(`the first test of a file comes within ${MAX_OPENING_LINES} lines`, async () => {
  const files = (await readdir('test', { recursive: true })).filter(name => name.endsWith('.test.ts'))
  const openings = files.map(async file => {
    const lines = (await readFile(path.join('test', file), 'utf8')).split('\n')
    return lines.findIndex(line => FIRST_TEST.test(line)) >= MAX_OPENING_LINES ? [file] : []
  })
  expect((await Promise.all(openings)).flat().toSorted()).toEqual(LONG_OPENINGS)
})
