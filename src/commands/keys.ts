import { hash, randomBytes } from 'node:crypto'
import process from 'node:process'
import { parseArgs } from 'node:util'
import type { ApiKey } from '#config'
import { readApiKeys } from '#configuration/apiKeys.ts'
import { loadApiKeysFile } from '#configuration/loadConfig.ts'
import { takenByNpm } from '#configuration/npmOptions.ts'
import { TokenwireError } from '#errors'
import { changeKeysFile } from './keysFile.ts'

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
