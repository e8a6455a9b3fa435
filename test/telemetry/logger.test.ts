import { describe, expect, it } from 'vitest'
import { SETTINGS } from '#configuration/settings.ts'
import { parseSettings, type SettingTable } from '#configuration/settingTypes.ts'
import { TokenwireError } from '#errors'
import { createLogger } from '#telemetry/logger.ts'
import { createRedactor, secretsOf } from '#telemetry/redactor.ts'

const KEY = 'a1B2c3D4e5F6'
const SECRETS = secretsOf({
  rpcUrls: [
    `https://node.example/v2/${KEY}`,
    'wss://alice:opensesame@ws.example:8546/mainnet',
    'https://other.example/rpc?apikey=queryKey99&n=1',
    'https://bare.example/?nakedKey77',
    'http://127.0.0.1:8545',
  ],
  databaseUrl: 'postgresql://tokenwire:p%40ss%22w%5Co%2Frd@db.example:5432/tokens',
  coingeckoUrl: 'https://api.coingecko.com',
  coingeckoApiKey: 'CG-demoKey',
  coinbaseUrl: 'https://api.coinbase.com',
  operatorToken: 'oper.at*or+(token)',
})

/** What must be seen nowhere in the log, in any spelling. */
const HIDDEN = [
  KEY,
  'opensesame',
  'queryKey99',
  'nakedKey77',
  'p@ss"w',
  'p%40ss',
  'p@ss\\"w',
  'CG-demoKey',
  'oper.at*or+(token)',
  Buffer.from('alice:opensesame').toString('base64'),
]

const PLACEMENTS: readonly (readonly [string, (secret: string) => readonly [object, string?]])[] = [
  ['the message', secret => [{}, `connecting to ${secret} failed`]],
  ['a field', secret => [{ url: secret }, 'x']],
  ['a deeply nested field', secret => [{ a: { b: [{ c: { d: `=${secret};` } }] } }, 'x']],
  ['a key', secret => [{ providers: { [secret]: 'down' } }, 'x']],
  ['the message and stack of an error', secret => [{ err: new Error(`no answer from ${secret}`) }, 'x']],
  ['a property of an error', secret => [{ err: Object.assign(new Error('x'), { config: { url: secret } }) }, 'x']],
  ['the details of an error', secret => [{ err: new TokenwireError('rpc_unavailable', 'x', { details: { url: secret } }) }, 'x']],
  ['the cause of a cause', secret => [{ err: new Error('a', { cause: new Error('b', { cause: new Error(secret) }) }) }, 'x']],
  ['an error of several', secret => [{ err: new AggregateError([new Error(secret)], 'all failed') }, 'x']],
  ['a thrown text', secret => [{ err: secret }, 'x']],
  ['JSON within text', secret => [{ body: JSON.stringify({ error: { url: secret } }) }, 'x']],
  ['a percent-encoded text', secret => [{ query: encodeURIComponent(secret) }, 'x']],
  ['an object with its own JSON', secret => [{ request: { toJSON: () => ({ secret }) } }, 'x']],
]

describe('createLogger', () => {
  it.each(PLACEMENTS)('hides secrets in %s', (_, place) => {
    const { lines, logger } = capture()
    for (const secret of SECRETS) logger.warn(...place(secret))
    expect(lines).toHaveLength(SECRETS.length)
    expectNothingHidden(lines)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 'warn' })
  })

  it('hides secrets in the bindings of a child, in a format argument and in a bare error', () => {
    const { lines, logger } = capture()
    logger.child({ rpc: `https://node.example/v2/${KEY}` }).info('ready')
    logger.info('using %s and %j', KEY, { token: 'opensesame' })
    logger.error(new Error(`p@ss"w\\o/rd`))
    expect(lines).toHaveLength(3)
    expectNothingHidden(lines)
  })

  it('hides secrets from people too', () => {
    const { lines, logger } = capture('pretty')
    logger.error({ err: new Error(`HTTP request failed.\nURL: https://node.example/v2/${KEY}`), token: 'CG-demoKey' }, `about ${KEY}`)
    expectNothingHidden(lines)
    expect(lines.join('')).toContain('ERROR')
    expect(lines.join('')).toContain('about [redacted]')
  })

  it('keeps what is no secret: hosts, common words of paths, and lines without secrets byte for byte', () => {
    const { lines, logger } = capture()
    logger.info(
      { host: 'node.example', path: '/rpc', chain: 'mainnet', database: 'db.example:5432/tokens', local: 'http://127.0.0.1:8545' },
      'ready',
    )
    const { time, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(rest).toEqual({
      level: 'info',
      pid: process.pid,
      host: 'node.example',
      path: '/rpc',
      chain: 'mainnet',
      database: 'db.example:5432/tokens',
      local: 'http://127.0.0.1:8545',
      msg: 'ready',
    })
  })

  it('stays one JSON line when a secret looks like a part of one', () => {
    const { lines, logger } = capture('json', ['1234', 'level', '":"', 'null', '"time"'])
    logger.info({ block: 1234, other: 51_234, level5: null, text: 'a null level 1234 "time" ":"' }, 'at 1234')
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      block: '[redacted]',
      text: 'a [redacted] [redacted] [redacted] [redacted] [redacted]',
      msg: 'at [redacted]',
    })
  })

  it('hides a secret that is learnt later', () => {
    const { lines, redactor, logger } = capture()
    redactor.add(['generatedPassword'])
    logger.info({ url: 'postgres://tokenwire:generatedPassword@localhost/tokens' }, 'database is up')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ url: 'postgres://tokenwire:[redacted]@localhost/tokens' })
  })

  it('says nothing below its level', () => {
    const lines: string[] = []
    const output = { write: (line: string) => void lines.push(line) }
    createLogger({ level: 'warn', format: 'json', redactor: createRedactor([]), output }).info('quiet')
    expect(lines).toEqual([])
  })
})

describe('secretsOf', () => {
  it('finds none where there is none', () => {
    const config = {
      rpcUrls: ['https://mainnet.base.org', 'http://localhost:8545/rpc', 'wss://base.example/v1/mainnet'],
      databaseUrl: 'postgresql://localhost/tokens',
      coingeckoUrl: 'https://api.coingecko.com',
      coingeckoApiKey: null,
      coinbaseUrl: 'https://api.coinbase.com',
      ipfsGateways: ['https://ipfs.io', 'http://127.0.0.1:8080'],
      arweaveGateways: ['https://arweave.net'],
      operatorToken: null,
    }
    expect(secretsOf(config)).toEqual([])
    expect(secretsOf({ ...config, ipfsGateways: ['https://gateway.example/k3y0fthegateway'] })).toContain('k3y0fthegateway')
  })

  it('finds the key in each setting that is marked as secret', () => {
    const key = 'k3y0fTheSetting'
    const secret = Object.entries<SettingTable[string]>(SETTINGS).filter(([, schema]) => schema.meta()?.['secret'] === true)
    const found = secret.map(([name, schema]) => {
      const texts = [key, `https://host.example/${key}`, `postgresql://me:${key}@db/tokens`, `nats://me:${key}@host.example:4222`]
      const value = texts.find(text => schema.safeParse(text).success)
      const { values } = parseSettings(SETTINGS, { [name]: value })
      return [name, secretsOf({ ...values, nats: { urls: values.natsUrl, credsFile: null } }).includes(key)]
    })
    expect(found).toEqual(secret.map(([name]) => [name, true]))
    expect(secret.length).toBeGreaterThan(0)
  })

  // Every line about a webhook said that `[redacted]` was not taken.
  it('leaves the name of a webhook readable where it is in the path of a URL, too', () => {
    const webhook = (name: string, url: string) => ({ name, url, secret: 'whsec_k3y', channel: 'trades', filters: {} }) as const
    const webhooks = [webhook('big-caps', 'https://bot.example/k3y0fthehook/big-caps'), webhook('others', 'https://bot.example/others')]
    const secrets = secretsOf({ webhooks })
    expect(secrets).toEqual(expect.arrayContaining(['whsec_k3y', 'k3y0fthehook', webhooks[0]?.url]))
    expect(secrets.filter(secret => ['big-caps', 'others'].includes(secret))).toEqual([])
  })

  it('finds those of a part of the configuration', () => {
    expect(secretsOf({ databaseUrl: 'postgres://me:hunter2@db/tokens' })).toEqual(
      expect.arrayContaining(['postgres://me:hunter2@db/tokens', 'hunter2']),
    )
    expect(secretsOf({ databaseUrl: 'postgres://me@db/tokens?password=hunter2' })).toContain('hunter2')
  })
})

function capture(format: 'json' | 'pretty' = 'json', secrets: readonly string[] = SECRETS) {
  const lines: string[] = []
  const redactor = createRedactor(secrets)
  const output = { write: (line: string) => void lines.push(line) }
  return { lines, redactor, logger: createLogger({ level: 'debug', format, redactor, output }) }
}

function expectNothingHidden(lines: readonly string[]): void {
  expect(lines.length).toBeGreaterThan(0)
  for (const secret of HIDDEN) expect(lines.join('')).not.toContain(secret)
}
