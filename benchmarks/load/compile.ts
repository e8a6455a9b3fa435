import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SOURCE = new URL('load.c', import.meta.url)
const CACHE = new URL('../../.cache/bench/', import.meta.url)

/**
 * Compiles the load, once for each content of its file.
 *
 * @returns the program
 * @throws `Error` when there is no C compiler, or it refuses the file
 */
export function compileLoad(): string {
  const digest = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16)
  const program = fileURLToPath(new URL(`load-${digest}`, CACHE))
  if (existsSync(program)) return program
  mkdirSync(CACHE, { recursive: true })
  const made = `${program}.${process.pid}`
  try {
    execFileSync('cc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', made, fileURLToPath(SOURCE)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } catch (cause) {
    throw new Error('the load is written in C and needs a compiler (on Debian: apt-get install gcc libc6-dev)', { cause })
  }
  renameSync(made, program)
  return program
}
