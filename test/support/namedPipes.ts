import { execFileSync } from 'node:child_process'
import { constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { closeAfterFile } from './closeAfterFile.ts'

/** @returns its path */
export function namedPipe(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tokenwire-pipe-'))
  closeAfterFile(async () => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'pipe')
  execFileSync('mkfifo', [file])
  return file
}

/** A pipe that takes no further byte until it is read. */
export function fullPipe() {
  const file = namedPipe()
  const fd = openSync(file, constants.O_RDWR | constants.O_NONBLOCK)
  // Opened again: starting a process with `fd` as its output takes `O_NONBLOCK` from all that share this opening, and an empty pipe would
  // hold up the test's thread for ever.
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  let filled = 0
  try {
    for (;;) filled += writeSync(fd, '.'.repeat(4_096))
  } catch {
    // Full.
  }
  return { fd, filling: '.'.repeat(filled), read: () => readAll(reader) }
}

/** What is in the pipe now, with a character for a byte. */
export function readAll(fd: number): string {
  const parts: Buffer[] = []
  const part = Buffer.alloc(65_536)
  try {
    for (let bytes = readSync(fd, part); bytes > 0; bytes = readSync(fd, part)) parts.push(Buffer.from(part.subarray(0, bytes)))
  } catch {
    // Empty.
  }
  return Buffer.concat(parts).toString('latin1')
}
