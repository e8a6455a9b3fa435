import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Line, TableName } from './growthTables.ts'

const FLUSH_CHARACTERS = 1 << 18
const KEY_DIGITS = 10

/** Lines for the tables, in one file per table, day and writing process. Each line begins with its sort key. */
export interface Spool {
  add(line: Line, day: number): void
  close(): void
}

export function openSpool(folder: string, share: number): Spool {
  mkdirSync(folder, { recursive: true })
  const files = new Map<string, { readonly fd: number; text: string }>()
  const flush = (file: { readonly fd: number; text: string }) => {
    writeSync(file.fd, file.text)
    file.text = ''
  }
  return {
    add: ({ table, writtenAt, text }, day) => {
      const name = spoolFile(table, day, share)
      let file = files.get(name)
      if (file === undefined) {
        file = { fd: openSync(join(folder, name), 'w'), text: '' }
        files.set(name, file)
      }
      file.text += `${String(writtenAt).padStart(KEY_DIGITS, '0')}${text}\n`
      if (file.text.length > FLUSH_CHARACTERS) flush(file)
    },
    close: () => {
      for (const file of files.values()) {
        flush(file)
        closeSync(file.fd)
      }
    },
  }
}

export function spoolFile(table: TableName, day: number, share: number): string {
  return `${table}-${day}-${share}.spool`
}

/** The lines of spooled files sorted by their keys, without the keys. Equal keys are sorted by the text. */
export function sortedLines(texts: readonly string[]): string {
  const lines = texts.flatMap(text => text.split('\n')).filter(line => line !== '')
  lines.sort((a, b) => (a < b ? -1 : 1))
  return lines.map(line => `${line.slice(KEY_DIGITS)}\n`).join('')
}
