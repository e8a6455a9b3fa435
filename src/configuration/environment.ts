import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseEnv } from 'node:util'
import type { Environment } from '#configuration/settingTypes.ts'
import { nearestName } from '#domain/text.ts'
import { TokenwireError } from '#errors'
import { SETTINGS } from './settings.ts'

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
function readDotEnv(cwd: string, readFile: ReadFile): Environment {
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

const FOLDER =
  "it can't be read (EISDIR): it is a folder, as containers get in place of a file that a mount (of Kubernetes: a subPath) does not find"

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
    if (code === 'EISDIR') return { kind: 'unreadable', problem: FOLDER }
    return { kind: 'unreadable', problem: `it can't be read (${code})${remedy}` }
  }
}

interface Given {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Whether the arguments make no sense as they are: npm may have dropped one without a trace. */
  readonly isWrong?: boolean
}

/**
 * Why a command lacks options that were given: without `--` before them, npm takes them for its own, and passes on at most their values.
 *
 * @param names the command's options
 * @param example how they are given
 * @returns `null`: npm has taken none of them
 */
export function takenByNpm(
  names: readonly string[],
  example: string,
  { args = process.argv.slice(2), env = process.env, isWrong = false }: Given = {},
): string | null {
  const isGiven = (name: string) => args.some(arg => arg === `--${name}` || arg.startsWith(`--${name}=`))
  // npm completes names: `--to` is its `--token-description`.
  const isTaken = (name: string) => Object.keys(env).some(key => key.startsWith(`npm_config_${name.replaceAll('-', '_')}`))
  const taken = names.filter(name => !isGiven(name) && isTaken(name))
  const remedy = `write -- before the arguments, such as ${example}`
  if (taken.length > 0) return `npm has taken ${taken.map(name => `--${name}`).join(', ')} for an option of its own: ${remedy}`
  // It completes `--format` to an option that takes no such value, and drops it.
  const isDropped = isWrong && env['npm_lifecycle_event'] !== undefined && args.length > 1 && !args.some(arg => arg.startsWith('-'))
  return isDropped ? `if options were given, npm has taken them for its own: ${remedy}` : null
}

interface IdleVariablesOptions {
  /** The folder of `.env`. */
  readonly cwd: string
  /** Default: `readFileSync` as UTF-8. */
  readonly readFile?: ReadFile
}

/** Settings of earlier versions, and what to set in their place. */
const REMOVED: Readonly<Record<string, string>> = {
  GATEWAY_THREADS: 'GATEWAYS starts processes that share the port',
}

/** The most letters in which a misspelt name differs from the setting's. */
const MAX_CHANGES = 2
/** Shorter names are near to those of other programs. */
const MIN_LENGTH = 7

/**
 * Sentences about variables that somebody may take for settings and that have no effect: removed settings, and variables of `.env` whose
 * first word begins the name of a setting, such as `RPC_URL`. Outside of `.env` a variable may be meant for another program. So only
 * names that differ from a setting by one or two letters are reported, and only if the setting itself is not set.
 *
 * @throws as `readDotEnv`
 */
export function findIdleVariables(env: Environment, { cwd, readFile = readUtf8 }: IdleVariablesOptions): readonly string[] {
  const file = readDotEnv(cwd, readFile)
  const settings = Object.keys(SETTINGS)
  const isAlike = (name: string) => settings.some(setting => setting.startsWith(name.toUpperCase().replace(/_.*/, '')))
  const removed = Object.entries(REMOVED).filter(([name]) => (env[name] ?? file[name] ?? '').trim() !== '')
  const unknown = Object.keys(file)
    .filter(name => !(name in SETTINGS || name in REMOVED) && isAlike(name))
    .toSorted()
  const isSet = (name: string) => (env[name] ?? file[name] ?? '').trim() !== ''
  const misspelt = Object.keys(env)
    .filter(name => !(name in SETTINGS || name in REMOVED || name in file) && name.length >= MIN_LENGTH)
    .filter(name => isSet(name) && !isSet(nearestName(name, settings, MAX_CHANGES) ?? name))
    .toSorted()
  const meant = (name: string) => {
    const nearest = nearestName(name, settings, MAX_CHANGES)
    return nearest === null ? '' : `; did you mean ${nearest}?`
  }
  return [
    ...removed.map(([name, instead]) => `${name} is no setting any more: ${instead}`),
    ...unknown.map(name => `${name} in .env is no setting${meant(name)}`),
    ...misspelt.map(name => `${name} is no setting${meant(name)}`),
  ]
}
