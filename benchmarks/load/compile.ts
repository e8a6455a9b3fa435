import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const CACHE = new URL('../.cache/', import.meta.url)

/**
 * Compiles a C file of this folder, once for each content of the file.
 *
 * @returns the program
 * @throws `Error` when there is no C compiler (`cc`) or it refuses the file
 */
export function compile(name: 'load' | 'limit'): string {
  const libraries = name === 'load' && hasOpenSsl() ? ['-DWITH_TLS', '-lssl', '-lcrypto'] : []
  const source = new URL(`./${name}.c`, import.meta.url)
  const digest = createHash('sha256').update(readFileSync(source)).update(libraries.join()).digest('hex').slice(0, 16)
  const program = fileURLToPath(new URL(`${name}-${digest}`, CACHE))
  if (existsSync(program)) return program
  mkdirSync(CACHE, { recursive: true })
  const made = `${program}.${process.pid}`
  try {
    execFileSync('cc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', made, fileURLToPath(source), ...libraries], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    throw new Error(
      missing ? 'the load is written in C: install a compiler (on Debian: apt-get install gcc libc6-dev)' : `${name}.c does not compile`,
      {
        cause,
      },
    )
  }
  renameSync(made, program)
  return program
}

/** Whether the load can be compiled with TLS (on Debian: `libssl-dev`). */
export function hasOpenSsl(): boolean {
  return existsSync('/usr/include/openssl/ssl.h')
}
