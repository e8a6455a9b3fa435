import { hash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import type { ApiKey } from '#config'
import { parseApiKeys, readApiKeys } from '#configuration/apiKeys.ts'
import { takenByNpm } from '#configuration/environment.ts'
import { loadApiKeysFile } from '#configuration/loadConfig.ts'
import { TokenwireError } from '#errors'

/*
 * npm run keys: makes, lists and revokes the API keys of API_KEYS_FILE. A key is shown once, when it is made; the file has its hash. A
 * running service reads the file again within 5 s. Exit codes: 0 done, 1 something has to be changed first.
 */

const USAGE = `usage: npm run keys -- make <name> [--requests <a minute, 0: no limit>] [--connections <number>] [--origin <origin>]... [--operator]
       npm run keys -- list
       npm run keys -- revoke <name>`

const OPTIONS = {
  requests: { type: 'string' },
  connections: { type: 'string' },
  origin: { type: 'string', multiple: true },
  operator: { type: 'boolean' },
} as const

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>['values']

try {
  process.stdout.write(`${run(process.argv.slice(2))}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof TokenwireError ? error.message : String(error)}\n`)
  process.exitCode = 1
}

function run(args: readonly string[]): string {
  const { positionals, values } = parse(args)
  const taken = takenByNpm(Object.keys(OPTIONS), 'npm run keys -- make bot --requests 600')
  if (taken !== null) refuse(`${taken}\n${USAGE}`)
  const [command, name = ''] = positionals
  const hasOptions = Object.keys(values).length > 0
  if (command === 'make' && positionals.length === 2) return make(name, values)
  if (command === 'list' && positionals.length === 1 && !hasOptions) return list()
  if (command === 'revoke' && positionals.length === 2 && !hasOptions) return revoke(name)
  return refuse(USAGE)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    return refuse(`${(error as Error).message}\n${USAGE}`)
  }
}

function make(name: string, { requests, connections, origin: origins, operator }: Options): string {
  const secret = `tw_${randomBytes(32).toString('base64url')}`
  const limits = {
    ...(requests !== undefined && { requestsPerMinute: toNumber(requests) }),
    ...(connections !== undefined && { connections: toNumber(connections) }),
  }
  const key: ApiKey = {
    name,
    sha256: hash('sha256', secret),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(origins !== undefined && { origins }),
    ...(operator === true && { operator }),
  }
  changeKeysFile(file(), keys => {
    if (keys.some(other => other.name === name))
      refuse(`There is a key of the name ${name} already; revoke it first, or choose another name.`)
    return [...keys, key]
  })
  return secret
}

function list(): string {
  const read = readApiKeys(file())
  if (read.kind === 'invalid') return refuse(read.problems.join('\n'))
  return read.keys.map(describe).join('\n')
}

function describe({ name, sha256, limits = {}, origins = [], operator = false }: ApiKey): string {
  const { requestsPerMinute, connections } = limits
  return [
    name,
    `sha256 ${sha256.slice(0, 12)}`,
    ...(requestsPerMinute === undefined
      ? []
      : [requestsPerMinute === 0 ? 'any number of requests' : `${requestsPerMinute} requests a minute`]),
    ...(connections === undefined ? [] : [`${connections} connections`]),
    ...origins,
    ...(operator ? ['operator'] : []),
  ].join('  ')
}

function revoke(name: string): string {
  changeKeysFile(file(), keys => {
    const kept = keys.filter(key => key.name !== name)
    return kept.length < keys.length ? kept : refuse(`There is no key of the name ${name}.`)
  })
  return `The key ${name} is revoked. A running service refuses it within 5 s, and closes its connections.`
}

function file(): string {
  return loadApiKeysFile(process.env, process.cwd())
}

/** Text that is no number is refused with the rest of the file's rules. */
function toNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}

function refuse(reason: string): never {
  throw new TokenwireError('config_invalid', reason)
}

/**
 * Replaces the keys of a file in one step, so that a service never reads half of it. A new file can be read by its owner alone; an existing
 * one keeps its owner and mode. A second change at the same time is refused, since one of the two would be lost.
 *
 * @throws `TokenwireError` `config_invalid` with what is wrong, and then changes nothing
 */
function changeKeysFile(file: string, change: (keys: readonly ApiKey[]) => readonly ApiKey[]): void {
  // A link stays a link.
  const target = existsSync(file) ? realpathSync(file) : file
  const draft = `${target}.new`
  const descriptor = openDraft(draft)
  try {
    const keys = existsSync(target) ? readOrRefuse(target) : []
    const text = `${JSON.stringify({ keys: change(keys) }, null, 2)}\n`
    const parsed = parseApiKeys(text)
    if (parsed.kind === 'invalid') refuse(parsed.problems.map(problem => problem.replace(/^line \d+: /, '')).join('\n'))
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
    if (existsSync(target)) keepOwner(target, draft)
    renameSync(draft, target)
  } finally {
    closeSync(descriptor)
    rmSync(draft, { force: true })
  }
}

function openDraft(draft: string): number {
  try {
    return openSync(draft, 'wx', 0o600)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return refuse(`${draft} exists: another command changes the keys just now, or one was killed. Remove it then.`)
    return refuse(`${draft} can't be written (${code}).`)
  }
}

function readOrRefuse(file: string): readonly ApiKey[] {
  const read = readApiKeys(file)
  return read.kind === 'valid' ? read.keys : refuse(`${file} is wrong and stays as it is:\n${read.problems.join('\n')}`)
}

function keepOwner(from: string, to: string): void {
  const { uid, gid, mode } = statSync(from)
  chownSync(to, uid, gid)
  chmodSync(to, mode)
}
