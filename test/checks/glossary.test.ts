import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const ENTRY = /^- \*\*(?<word>[^*]+)\*\*: \S.*\.$/

test('the glossary defines each word once, in one line', async () => {
  const lines = (await readFile('docs/glossary.md', 'utf8')).trimEnd().split('\n')
  const firstTopic = lines.findIndex(line => line.startsWith('## '))
  const entries = lines.slice(firstTopic).filter(line => line !== '' && !line.startsWith('## '))
  expect(entries.filter(line => !ENTRY.test(line) || line.length > 140)).toEqual([])
  const words = entries.map(line => ENTRY.exec(line)?.groups?.['word'])
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([])
  expect(words.length).toBeGreaterThan(50)
})
