import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { SITE_FOLDER } from './siteFolder.ts'

/** Gzipped size of all files. */
const MAX_BYTES = 200_000
/** Gzipped size of the first page. The chart, wallets and the view for operators are loaded when they are shown first. */
const MAX_FIRST_BYTES = 63_000

const entries = await readdir(SITE_FOLDER, { recursive: true, withFileTypes: true })
const files = new Map<string, Buffer>()
for (const entry of entries.filter(one => one.isFile())) {
  const file = path.join(entry.parentPath, entry.name)
  files.set(path.relative(SITE_FOLDER, file), await readFile(file))
}
const names = Array.from(files.keys())
const textOf = (name: string) => files.get(name)?.toString() ?? ''
const sizeOf = (name: string) => files.get(`${name}.gz`)?.length ?? files.get(name)?.length ?? 0
const served = names.filter(name => /\.(?:html|js|css|svg)$/.test(name))

test('is small, as a whole and for the first page', () => {
  expect(served.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThan(MAX_BYTES)
  const first = served.filter(name => !/chart-|walletView|operatorView/.test(name))
  // The chart, and code and styles of the two views.
  expect(served.length - first.length).toBe(5)
  expect(first.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThan(MAX_FIRST_BYTES)
})

test('has compressed copies with the same content', () => {
  for (const name of served.filter(each => /\.(?:js|css)$/.test(each))) {
    expect(gunzipSync(files.get(`${name}.gz`) as Buffer).equals(files.get(name) as Buffer)).toBe(true)
    expect(brotliDecompressSync(files.get(`${name}.br`) as Buffer).equals(files.get(name) as Buffer)).toBe(true)
  }
})

test('refers only to its own files, by relative addresses', () => {
  const page = textOf('index.html')
  const references = Array.from(page.matchAll(/\b(?:src|href)="([^"]*)"/g), match => match[1] ?? '')
  expect(references.length).toBeGreaterThan(2)
  for (const reference of references) expect(names).toContain(reference.replace(/^\.\//, ''))
  expect(page).not.toMatch(/<style|<script[^>]*>[^<]|\son\w+=|style=/)
  for (const name of served.filter(each => each.endsWith('.css'))) expect(textOf(name)).not.toMatch(/@import|url\(|https?:/)
})

test('uses no eval, which its policy forbids', () => {
  for (const name of served.filter(each => each.endsWith('.js'))) expect(textOf(name)).not.toMatch(/\beval\(|new Function\(/)
})
