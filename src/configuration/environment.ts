import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseEnv } from 'node:util'
import { TokenwireError } from '#errors'

export type Environment = Readonly<Record<string, string | undefined>>

export type ReadFile = (path: string) => string

export const readUtf8: ReadFile = file => readFileSync(file, 'utf8')

/** What Kubernetes and Docker's links set as `<NAME>_PORT` for a service of that name, such as `STATUS_PORT` for one called status. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//

/**
 * The variables of the process and of `.env` in `cwd`, if it exists. Those of the process take precedence.
 *
 * @throws as `readDotEnv`
 */
export function readEnvironment(env: Environment, cwd: string, readFile: ReadFile): Environment {
  const set = Object.entries(env).filter(([name, value]) => value !== undefined && !(name.endsWith('_PORT') && SERVICE_LINK.test(value)))
  return { ...readDotEnv(cwd, readFile), ...Object.fromEntries(set) }
}

/**
 * The variables of `.env` in `cwd`; none if it does not exist.
 *
 * @throws `TokenwireError` `config_invalid` when it exists and can't be read
 */
export function readDotEnv(cwd: string, readFile: ReadFile): Environment {
  const file = readIfPresent(path.join(cwd, '.env'), readFile)
  if (file.kind === 'unreadable') {
    const problem = `.env: ${file.problem}`
    throw new TokenwireError('config_invalid', `Tokenwire cannot start.\n  ${problem}`, { details: { problems: [problem] } })
  }
  return file.kind === 'missing' ? {} : parseEnv(file.text.replace(/^\uFEFF/, ''))
}

/** How the files that settings name are read. */
export interface FileReading {
  /** The folder of relative paths. */
  readonly cwd: string
  readonly readFile: ReadFile
  /** Gets a sentence for everything that is wrong. */
  readonly problems: string[]
}

/** A file's text, or why there is none. */
export type FileText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing'; readonly problem: string }
  | { readonly kind: 'unreadable'; readonly problem: string }

export function readIfPresent(file: string, readFile: ReadFile = readUtf8): FileText {
  try {
    const text = readFile(file)
    // As editors of Windows write "Unicode".
    return text.includes('\0') ? { kind: 'unreadable', problem: 'it is not written in UTF-8; save it as UTF-8' } : { kind: 'text', text }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (code === 'ENOENT') return { kind: 'missing', problem: 'it does not exist' }
    const isDenied = code === 'EACCES' || code === 'EPERM'
    const remedy = isDenied ? `; let the user that runs the service (uid ${process.getuid?.()}) read it and enter its folder` : ''
    return { kind: 'unreadable', problem: `it can't be read (${code})${remedy}` }
  }
}
