import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
const LEFT_OUT = /(?:^|\/)(?:node_modules|dist|build\/.*\/node_modules)\//

/** Files of the repository, by their path from its root. */
const filesOf = (...patterns: readonly string[]) => globSync([...patterns], { cwd: ROOT }).filter(file => !LEFT_OUT.test(file))
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

/** The text without its blocks of code and its code in lines. */
const proseOf = (markdown: string) => markdown.replaceAll(/^( *)```.*?^\1```$/gms, '').replaceAll(/`[^`\n]*`/g, '')

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = markdown.replaceAll(/^( *)```.*?^\1```$/gms, '').matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** The links of a document that lead to no file, or to no heading of that file. */
function brokenLinks(file: string, text: string, exists: (target: string) => boolean): readonly string[] {
  const links = [...proseOf(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter(link => {
    const [name = '', anchor] = link.split('#')
    const target = name === '' ? file : path.join(path.dirname(file), name)
    if (!exists(target)) return true
    return anchor !== undefined && !anchorsOf(target === file ? text : read(target)).has(anchor)
  })
}

const DOCUMENTS = filesOf('*.md', '{docs,benchmarks,examples}/**/*.md')
const exists = (target: string) => globSync(target.replace(/\/$/, ''), { cwd: ROOT }).length > 0

it('every relative link in a document leads to a file and a heading that exist', () => {
  expect(DOCUMENTS.length).toBeGreaterThan(30)
  expect(DOCUMENTS.flatMap(file => brokenLinks(file, read(file), exists).map(link => `${file}: ${link}`))).toEqual([])
})

/** Notes and the changelog name files of their time, the table of faults files of other repositories. */
const OF_OTHERS = /^(?:benchmarks\/notes\/|CHANGELOG|docs\/faults)/
const NAMED_PATH = /`((?:src|actors|test|docs|benchmarks|examples|build)\/[^`\s<…]+)`/g

it('every path of the sources that a document names exists', () => {
  const named = DOCUMENTS.filter(file => !OF_OTHERS.test(file)).flatMap(file =>
    [...read(file).matchAll(NAMED_PATH)].map(([, target = '']) => ({ file, target })),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(({ target }) => !exists(target) && !exists(`${target}.ts`))).toEqual([])
})

it('finds links to missing files and headings, and leaves out code', () => {
  const text = '# One word\n[a](missing.md) [b](#one-word) [c](#two) `[d](code.md)`\n```\n[e](block.md)\n```\n'
  expect(brokenLinks('README.md', text, exists)).toEqual(['missing.md', '#two'])
})

const NUMBER = String.raw`\b00\d\d\b`
/** A number in parentheses, after "see", or after "decision". Numbers of migrations are not decisions. */
const CITED = new RegExp(String.raw`(?:\(|see |decisions?(?: |/))((?:${NUMBER}(?:, | and )?)+)`, 'g')

/** The numbers of decisions that a text cites. */
const citedIn = (text: string) => [...text.matchAll(CITED)].flatMap(([, numbers = '']) => numbers.match(new RegExp(NUMBER, 'g')) ?? [])

it('every decision that is cited exists, and each has one line in their list', () => {
  const records = filesOf('docs/decisions/0*.md').map(file => path.basename(file).slice(0, 4))
  expect(records.filter((number, index) => records.indexOf(number) !== index)).toEqual([])
  const files = [...DOCUMENTS, ...filesOf('{src,actors,test,benchmarks,build}/**/*.{ts,tsx}')].filter(file => !file.includes('migrations/'))
  const cited = files.flatMap(file => citedIn(read(file)).map(number => ({ file, number })))
  expect(cited.length).toBeGreaterThan(20)
  expect(cited.filter(({ number }) => !records.includes(number))).toEqual([])
  const listed = [...read('docs/decisions/README.md').matchAll(/^- \[(\d{4})\]/gm)].map(([, number = '']) => number)
  expect(listed.toSorted()).toEqual(records.toSorted())
})

it('each decision fits a page', () => {
  const long = filesOf('docs/decisions/0*.md').filter(file => read(file).trimEnd().split('\n').length > 60)
  expect(long).toEqual([])
})
