import { describe, expect, it } from 'vitest'
import type { Config } from '#config'
import { findIdleVariables } from '#configuration/environment.ts'
import { type LoadConfigOptions, loadConfig, loadDatabaseConfig } from '#configuration/loadConfig.ts'
import { INTEGRATIONS } from '#configuration/settings.ts'
import { TokenwireError } from '#errors'
import { originTest } from '#gateway/keys.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { certificate, certificateKey, foreignKey } from '#test/support/certificate.ts'

const FACTORY = '0x2A787b2362021cC3eEa3C24C4748a6cD5B687382'
const WETH = '0x4200000000000000000000000000000000000006'
const LAUNCHPADS = JSON.stringify({
  weth: WETH,
  launchpads: [{ name: 'mine', adapter: 'bonding-curve', factory: FACTORY, startBlock: 12 }],
})
const RPC = { RPC_URLS: 'https://node.example/v2/key' }

describe('loadConfig', () => {
  it('has the documented defaults', () => {
    expect(loadConfig(RPC, options())).toEqual(defaults())
  })

  it('reads every variable', () => {
    const env = {
      ROLE: 'indexer',
      RPC_URLS: ' https://a.example/k , wss://b.example:8546/?key=1,http://127.0.0.1:8545,ws://[::1]:8546 ',
      CHAIN_ID: '8453',
      LAUNCHPADS_FILE: 'etc/pads.json',
      CONFIRMATIONS: 'finalized',
      KEEP_LOGS: 'true',
      LOGS_FROM: 'postgresql://u:p@other.example/tokens',
      RETAIN_MINUTE_CANDLES: '90d',
      DATABASE_URL: 'postgresql://u:p%40w@db.example:5432/tokens',
      DATA_DIR: '/var/lib/tokenwire',
      HOST: '::',
      PORT: '0',
      TLS_CERT_FILE: 'cert.pem',
      TLS_KEY_FILE: '/keys/key.pem',
      ALLOWED_ORIGINS: 'https://*.example.com, HTTPS://App.Example.com:443,http://localhost:*,http://[::1]:8080',
      REQUIRE_ORIGIN: 'true',
      TRUST_PROXY: '2',
      PATH_PREFIX: '/live/tokens/',
      EXPLORER_URL: 'https://explorer.example/base/',
      OPERATOR_TOKEN: 'letmein',
      OPERATOR_LOOPBACK_OPEN: 'true',
      RATE_LIMIT_PER_MINUTE: '0',
      MAX_CONNECTIONS: '10',
      MAX_CONNECTIONS_PER_IP: '9',
      MAX_SUBSCRIPTIONS_PER_CONNECTION: '8',
      MAX_MESSAGES_PER_SECOND: '7',
      COINGECKO_URL: 'https://pro-api.coingecko.com/',
      COINGECKO_API_KEY: 'CG-x',
      COINBASE_URL: 'http://127.0.0.1:9/base',
      METADATA_FETCH: 'false',
      METADATA_ALLOW_HTTP: 'TRUE',
      IPFS_GATEWAYS: 'http://127.0.0.1:8080/ipfs/, https://gateway.example/key',
      ARWEAVE_GATEWAYS: 'https://ar.example/',
      LOG_LEVEL: 'DEBUG',
      LOG_FORMAT: 'pretty',
    }
    const files = { '/app/etc/pads.json': LAUNCHPADS, '/app/cert.pem': certificate, '/keys/key.pem': certificateKey }
    expect(loadConfig(env, options(files))).toEqual({
      ...defaults(),
      role: 'indexer',
      rpcUrls: ['https://a.example/k', 'wss://b.example:8546/?key=1', 'http://127.0.0.1:8545', 'ws://[::1]:8546'],
      chainId: 8453,
      launchpadsFile: '/app/etc/pads.json',
      confirmations: 'finalized',
      keepLogs: true,
      logsFrom: 'postgresql://u:p@other.example/tokens',
      retainMinuteCandles: 90,
      databaseUrl: 'postgresql://u:p%40w@db.example:5432/tokens',
      dataDir: '/var/lib/tokenwire',
      host: '::',
      port: 0,
      tls: { certFile: '/app/cert.pem', keyFile: '/keys/key.pem' },
      allowedOrigins: ['https://*.example.com', 'https://app.example.com', 'http://localhost:*', 'http://[::1]:8080'],
      requireOrigin: true,
      trustProxy: 2,
      pathPrefix: '/live/tokens',
      explorerUrl: 'https://explorer.example/base',
      operatorToken: 'letmein',
      operatorLoopbackOpen: true,
      rateLimitPerMinute: 0,
      maxConnections: 10,
      maxConnectionsPerIp: 9,
      maxSubscriptionsPerConnection: 8,
      maxMessagesPerSecond: 7,
      coingeckoUrl: 'https://pro-api.coingecko.com',
      coingeckoApiKey: 'CG-x',
      coinbaseUrl: 'http://127.0.0.1:9/base',
      metadataFetch: false,
      metadataAllowHttp: true,
      ipfsGateways: ['http://127.0.0.1:8080', 'https://gateway.example/key'],
      arweaveGateways: ['https://ar.example'],
      logLevel: 'debug',
      logFormat: 'pretty',
    })
  })

  it('cannot be changed afterwards, at any depth', () => {
    const config = loadConfig(RPC, options())
    const open: string[] = []
    const visit = (value: unknown, place: string) => {
      if (typeof value !== 'object' || value === null) return
      if (!Object.isFrozen(value)) open.push(place)
      for (const [key, part] of Object.entries(value)) visit(part, `${place}.${key}`)
    }
    visit(config, 'config')
    expect(open).toEqual([])
    expect(() => Object.assign(config.launchpads.launchpads[0]?.contracts ?? {}, { factory: WETH })).toThrow(TypeError)
  })

  it('reads .env, below the environment, and takes a blank value as unset', () => {
    const files = {
      '/app/.env': '\uFEFFRPC_URLS="http://from.file:1"\nPORT=4000 # near the other one\nHOST=\n# LOG_LEVEL=trace\nLOG_LEVEL=warn\n',
    }
    const config = loadConfig({ PORT: '5000', LOG_LEVEL: ' ' }, options(files))
    expect(config).toMatchObject({ rpcUrls: ['http://from.file:1'], port: 5000, host: '127.0.0.1', logLevel: 'info' })
  })

  it('is pretty on a terminal unless told otherwise', () => {
    expect(loadConfig(RPC, { ...options(), isTerminal: true }).logFormat).toBe('pretty')
    expect(loadConfig({ ...RPC, LOG_FORMAT: 'json' }, { ...options(), isTerminal: true }).logFormat).toBe('json')
  })

  it.each([
    ['0', 0],
    ['12', 12],
    ['safe', 'safe'],
    ['Finalized', 'finalized'],
  ])('takes CONFIRMATIONS=%s', (text, value) => {
    expect(loadConfig({ ...RPC, CONFIRMATIONS: text }, options()).confirmations).toBe(value)
  })

  it('says everything that is missing at once and that there is npm run dev', () => {
    const nothing = Object.assign(new Error('no such file'), { code: 'ENOENT' })
    expect(refusal({}, { '/app/launchpads.json': nothing })).toBe(
      [
        'Tokenwire cannot start.',
        '  RPC_URLS: missing, expected a comma list of http://, https://, ws:// or wss:// addresses of nodes of the chain to index',
        '  LAUNCHPADS_FILE: expected a file that says what to index at launchpads.json, but it does not exist (docs/launchpads.example.json is one)',
        'To see Tokenwire at work without a chain and a database of your own: npm run dev',
      ].join('\n'),
    )
  })

  it('asks of a gateway nothing but the database of its indexer', () => {
    const env = { ROLE: 'gateway', DATABASE_URL: 'postgresql://u@db.example/tokens' }
    const { role, rpcUrls, launchpads } = loadConfig(env, options({}))
    expect([role, rpcUrls, launchpads.launchpads]).toEqual(['gateway', [], []])
    expect(refusal({ ROLE: 'gateway' }, {})).toBe(
      [
        'Tokenwire cannot start.',
        '  DATABASE_URL: missing, expected the database that the indexer of this gateway (ROLE=gateway) writes',
      ].join('\n'),
    )
    expect(refusal({ ROLE: 'gateway', DATABASE_URL: 'db.example' }, {})).not.toMatch(/DATABASE_URL[^]*DATABASE_URL/)
    expect(loadConfig({ ...env, DATABASE_READ_URL: 'postgresql://u@replica/tokens' }, options({})).databaseReadUrl).toContain('replica')
    expect(refusal({ ...RPC, DATABASE_READ_URL: 'postgresql://u@replica/tokens' })).toContain('DATABASE_READ_URL: is for gateways')
    expect(refusal({ ...RPC, ROLE: 'writer' })).toContain('ROLE: expected one of all, indexer, gateway, got "writer"')
  })

  it('takes no setting from what Kubernetes sets for a service of its name', () => {
    expect(loadConfig({ ...RPC, STATUS_PORT: 'tcp://10.0.0.7:80' }, options({})).statusPort).toBe(loadConfig(RPC, options({})).statusPort)
    expect(refusal({ ...RPC, STATUS_PORT: 'http://10.0.0.7:80' })).toContain('STATUS_PORT: expected')
  })

  it('reads where NATS is, and the file of its credentials', () => {
    const nats = { NATS_URL: 'nats://u:p@a:4222, tls://b', NATS_CREDS_FILE: 'nats.creds' }
    const { nats: read } = loadConfig({ ...RPC, ...nats }, options({ '/app/nats.creds': 'x' }))
    expect(read).toEqual({ urls: ['nats://u:p@a:4222', 'tls://b'], credsFile: '/app/nats.creds' })
    expect(refusal({ ...RPC, NATS_URL: 'http://a:4222' })).toContain('NATS_URL: expected a comma list of nats:// or tls:// addresses')
    // All were used with the user of the first.
    expect(refusal({ ...RPC, NATS_URL: 'nats://u:p@a, nats://u:hidden@b' })).toMatch(
      /NATS_URL: .*entries have different users or passwords/,
    )
    expect(refusal({ ...RPC, NATS_URL: 'nats://u:p@a, nats://u:hidden@b' })).not.toContain('hidden')
    expect(refusal({ ...RPC, ...nats })).toContain('NATS_CREDS_FILE: expected a file that can be read, but it does not exist')
    expect(refusal({ ...RPC, NATS_CREDS_FILE: 'x' })).toContain('NATS_CREDS_FILE: is for NATS_URL, which is not set')
  })

  it('has a standby only of a process that indexes into a database of its own', () => {
    const env = { ...RPC, STANDBY: 'true', DATABASE_URL: 'postgresql://u@db.example/tokens' }
    expect(loadConfig(env, options()).standby).toBe(true)
    expect(refusal({ ...env, ROLE: 'gateway' }, {})).toContain('STANDBY: a gateway (ROLE=gateway) never indexes; leave STANDBY blank')
    expect(refusal({ ...env, DATABASE_URL: '' })).toContain('STANDBY: needs a DATABASE_URL')
  })

  it('lists every wrong value in one message', () => {
    const message = refusal({ ...RPC, PORT: '70000', LOG_LEVEL: 'loud', REQUIRE_ORIGIN: '1', MAX_CONNECTIONS: '0' })
    expect(message).toBe(
      [
        'Tokenwire cannot start.',
        '  LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent, got "loud"',
        '  PORT: expected a whole number from 0 to 65535, got "70000"',
        '  REQUIRE_ORIGIN: expected true or false, got "1"',
        '  MAX_CONNECTIONS: expected a whole number from 1 to 1000000000, got "0"',
      ].join('\n'),
    )
  })

  it.each([
    ['RPC_URLS', ' , '],
    ['RPC_URLS', 'https://'],
    ['RPC_URLS', 'ftp://node.example'],
    ['RPC_URLS', 'node.example:8545'],
    ['RPC_URLS', 'https://a.example https://b.example'],
    ['CHAIN_ID', '0x2105'],
    ['CHAIN_ID', '0'],
    ['CHAIN_ID', '99999999999999999999'],
    ['CONFIRMATIONS', '-1'],
    ['CONFIRMATIONS', 'latest'],
    ['CONFIRMATIONS', '3.5'],
    ['RETAIN_MINUTE_CANDLES', '90'],
    ['RETAIN_MINUTE_CANDLES', '1d'],
    ['DATABASE_URL', 'mysql://u:p@h/d'],
    ['DATABASE_URL', 'localhost:5432/tokens'],
    ['HOST', 'http://0.0.0.0'],
    ['HOST', '0.0.0.0:3000'],
    ['HOST', '[::1]'],
    ['PORT', '-1'],
    ['PORT', '3000.0'],
    ['PORT', '1e3'],
    ['PORT', '65536'],
    ['TRUST_PROXY', 'true'],
    ['PATH_PREFIX', 'tokens'],
    ['PATH_PREFIX', '/'],
    ['PATH_PREFIX', '/a/../b'],
    ['PATH_PREFIX', '//evil.example'],
    ['EXPLORER_URL', 'basescan.org'],
    ['EXPLORER_URL', 'javascript:alert(1)'],
    ['OPERATOR_TOKEN', 'two words'],
    ['OPERATOR_TOKEN', 'schlüssel'],
    ['RATE_LIMIT_PER_MINUTE', '-5'],
    ['MAX_CONNECTIONS_PER_IP', '0'],
    ['MAX_SUBSCRIPTIONS_PER_CONNECTION', 'many'],
    ['MAX_MESSAGES_PER_SECOND', '0'],
    ['COINGECKO_URL', 'ws://api.coingecko.com'],
    ['COINGECKO_URL', 'https://user:pass@api.coingecko.com'],
    ['COINGECKO_API_KEY', 'a b'],
    ['COINBASE_URL', 'https://api.coinbase.com/?key=1'],
    ['METADATA_FETCH', 'no'],
    ['METADATA_ALLOW_HTTP', '1'],
    ['IPFS_GATEWAYS', 'ipfs.io'],
    ['IPFS_GATEWAYS', 'https://ipfs.io,ftp://dweb.link'],
    ['IPFS_GATEWAYS', ','],
    ['IPFS_GATEWAYS', 'https://ipfs.io,'.repeat(6)],
    ['IPFS_GATEWAYS', 'https://gateway.example/?token=1'],
    ['ARWEAVE_GATEWAYS', 'https://user:pass@arweave.net'],
    ['LOG_FORMAT', 'xml'],
  ])('refuses %s=%s and names it', (name, value) => {
    const lines = refusal({ ...RPC, [name]: value }).split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(new RegExp(`^ {2}${name}: expected `))
  })

  it.each([
    ['https://*.example.com/', 'has a path'],
    ['https://example.com/app', 'has a path'],
    ['example.com', 'is not a scheme such as https:// and a host'],
    ['https://exa*mple.com', 'has its * elsewhere than inside a subdomain'],
    ['https://example.*', 'has its * elsewhere than inside a subdomain'],
    ['https://*.com', 'has its * elsewhere than inside a subdomain'],
    ['https://*', 'has its * elsewhere than inside a subdomain'],
    ['*://example.com', 'is not a scheme such as https:// and a host'],
    ['https://a..example.com', 'has no valid host'],
    ['https://exa mple.com', 'has something else than a port'],
    ['https://[::1', 'is not a scheme such as https:// and a host'],
    ['https://[1.2]', 'has no valid host'],
    ['https://user@example.com', 'has something else than a port'],
    ['http://localhost:99999', 'has something else than a port'],
    ['http://localhost:80*', 'has something else than a port'],
    ['null', 'is not a scheme such as https:// and a host'],
  ])('refuses the origin %s and says why', (origin, reason) => {
    expect(refusal({ ...RPC, ALLOWED_ORIGINS: `https://fine.example,${origin}` })).toContain(`but "${origin}" ${reason}`)
  })

  it.each([
    ['https://*.example.com', 'https://a.b.example.com'],
    ['https://pr-*.Example.com', 'https://pr-12.example.com'],
    ['http://*.localhost:*', 'http://app.localhost:5173'],
    ['http://localhost:*', 'http://localhost'],
    ['http://192.168.0.7:8080', 'http://192.168.0.7:8080'],
    ['http://[::1]:*', 'http://[::1]:3000'],
    ['https://app.example.com:443', 'https://app.example.com'],
    ['https://app.example.com:8443', 'https://app.example.com:8443'],
    ['capacitor://localhost', 'capacitor://localhost'],
  ])('takes the origin %s so that the gateway lets %s in', (pattern, origin) => {
    const patterns = loadConfig({ ...RPC, ALLOWED_ORIGINS: pattern }, options()).allowedOrigins
    expect(originTest(patterns)(origin)).toBe(true)
    expect(originTest(patterns)('https://evil.example')).toBe(false)
  })

  it('takes * for all origins only where it stands alone', () => {
    expect(loadConfig({ ...RPC, ALLOWED_ORIGINS: '*' }, options()).allowedOrigins).toEqual(['*'])
    expect(refusal({ ...RPC, ALLOWED_ORIGINS: '*,https://a.example' })).toContain('ALLOWED_ORIGINS: expected')
  })

  it('repeats no credential of a wrong value', () => {
    const message = refusal({
      RPC_URLS: 'https://fine.example/S3CRET,S3CRET://node.example/v2/S3CRET',
      DATABASE_URL: 'postgres://user:S3CRET#x@host/db',
      OPERATOR_TOKEN: 'S3CRET S3CRET',
      COINGECKO_URL: 'https://S3CRET@api.coingecko.com',
      COINGECKO_API_KEY: 'S3CRET\tS3CRET',
      COINBASE_URL: 'https://api.coinbase.com/?S3CRET',
      IPFS_GATEWAYS: 'https://gateway.example/S3CRET,https://gateway.example/?S3CRET',
    })
    expect(message.match(/^ {2}[A-Z_]+: /gm)).toHaveLength(7)
    expect(message).toContain('but entry 2 is not one')
    expect(message.toLowerCase()).not.toContain('s3cret')
  })

  it.each(['u:S3CRET@a:5432,b:5432', 'u:S3CRET@a,b', 'a,b', 'u:S,3CRET@[::1]:5432,[::2]'])(
    'says that only one host may stand in %s',
    hosts => {
      const message = refusal({ ...RPC, DATABASE_URL: `postgres://${hosts}/db?target_session_attrs=read-write` })
      expect(message).toContain(', but it names several hosts: name one that leads to the primary')
      expect(message).not.toContain('3CRET')
      expect(loadConfig({ ...RPC, DATABASE_URL: 'postgres://u:a,b@h/db,x?options=-c%20a=b,c' }, options()).databaseUrl).toContain('@h/')
    },
  )

  // The beginning of the password was taken for a port, and the user for a host that does not exist.
  it.each(['u:12/3CRET@h:5432/db', 'u:12?3CRET@h/db', 'u:12#3CRET@h/db', 'u:S@3C/RET@h/db', 'u:3CR#ET@h/db', 'u:3CRET@h/db#a'])(
    'says what to do about a password that ends the host of %s',
    address => {
      const message = refusal({ ...RPC, DATABASE_URL: `postgresql://${address}` })
      expect(message).toContain(', but it has an @ or a # after its host: write / ? # @ of a password, or of a name, as %2F %3F %23 %40')
      expect(message).not.toMatch(/3C|RET/)
      const encoded = 'postgresql://u:12%2F%3F%23%40@h:5432/d%40b?host=/run/a@b&options=-c%20a=b'
      expect(loadConfig({ ...RPC, DATABASE_URL: encoded }, options()).databaseUrl).toContain('12%2F%3F%23%40')
    },
  )

  it.each(['RPC_URLS', 'NATS_URL'])('names a bare percent sign in a password of %s, and does not repeat it', name => {
    const scheme = name === 'RPC_URLS' ? 'https' : 'nats'
    expect(loadConfig({ ...RPC, [name]: `${scheme}://a:100%25@a.example` }, options()).role).toBe('all')
    const message = refusal({ ...RPC, [name]: `${scheme}://a.example,${scheme}://u:S3CRET100%@b.example` })
    expect(message).toContain(`${name}: expected`)
    expect(message).toContain(
      'but user or password of entry 2 has a % that is not followed by two hex digits of UTF-8; write a percent sign as %25',
    )
    expect(message).not.toContain('S3CRET')
  })

  it('wants both TLS files, readable and a pair', () => {
    expect(refusal({ ...RPC, TLS_CERT_FILE: 'c.pem' })).toContain('TLS_KEY_FILE: missing, expected a PEM file, as TLS_CERT_FILE is set')
    expect(refusal({ ...RPC, TLS_KEY_FILE: 'k.pem' })).toContain('TLS_CERT_FILE: missing, expected a PEM file, as TLS_KEY_FILE is set')
    const both = { ...RPC, TLS_CERT_FILE: 'c.pem', TLS_KEY_FILE: 'k.pem' }
    const denied = Object.assign(new Error('denied'), { code: 'EACCES' })
    const absent = refusal(both, { '/app/k.pem': denied })
    expect(absent).toContain('TLS_CERT_FILE: expected a PEM file, but /app/c.pem does not exist')
    expect(absent).toContain("TLS_KEY_FILE: expected a PEM file, but it can't be read (EACCES); let the user that runs the service (")
    const pair = 'TLS_CERT_FILE, TLS_KEY_FILE: expected a PEM certificate and its PEM key without a passphrase'
    expect(refusal(both, { '/app/c.pem': certificate, '/app/k.pem': foreignKey })).toContain(pair)
    expect(refusal(both, { '/app/c.pem': 'nonsense', '/app/k.pem': certificateKey })).toContain(pair)
    expect(refusal(both, { '/app/c.pem': certificate, '/app/k.pem': '' })).toContain(pair)
  })

  // An operator read only that RPC_URLS is missing, or what it should look like.
  it.each([
    ['a folder in its place', Object.assign(new Error('is a directory'), { code: 'EISDIR' }), ".env: it can't be read (EISDIR)"],
    ['of another user', Object.assign(new Error('denied'), { code: 'EACCES' }), '(EACCES); let the user that runs the service ('],
    ['in UTF-16', '\uFEFFR\0P\0C\0', '.env: it is not written in UTF-8; save it as UTF-8'],
    ['with another name of a setting', 'RPC_URL=http://a.example', 'RPC_URLS: missing, expected', 'RPC_URL in .env is no setting'],
    ['in lower case', 'rpc_urls=http://a.example', 'RPC_URLS: missing, expected', 'rpc_urls in .env is no setting'],
    ['with a quote that has no other end', 'RPC_URLS="http://a.example\nPORT=1', 'RPC_URLS: expected', 'a quote belongs to its value'],
    ['with typographic quotes', 'PORT=\u201c3000\u201d', 'PORT: expected', 'a quote belongs to its value'],
  ])('says what is wrong with .env: %s', (_, file, ...says) => {
    const message = refusal({}, { '/app/.env': file })
    for (const one of says) expect(message).toContain(one)
  })

  it('says what is wrong with quotes that docker run --env-file leaves', () => {
    expect(refusal({ RPC_URLS: '"http://a.example/S3CRET"' })).toMatch(/RPC_URLS: .*a quote belongs to its value(?!.*S3CRET)/)
  })

  it.each([
    ['export', 'export RPC_URLS=http://a.example'],
    ['spaces and quotes', " RPC_URLS = ' http://a.example ' "],
    ['line ends of Windows and a byte order mark', '\uFEFFPORT=3000\r\nRPC_URLS="http://a.example"\r\n'],
    ['a space that does not break', 'RPC_URLS=http://a.example\u00a0'],
  ])('reads .env with %s', (_, file) => {
    expect(loadConfig({}, options({ '/app/.env': file })).rpcUrls).toEqual(['http://a.example'])
  })

  it('gives the place in a wrong launchpads file under the name that it was given', () => {
    const file = JSON.stringify({ weth: '0x12', launchpads: [{ name: 'a', adapter: 'pump', factory: FACTORY, startBlock: 0 }] })
    const message = refusal({ ...RPC, LAUNCHPADS_FILE: './etc/pads.json' }, { '/app/etc/pads.json': file })
    expect(message).toContain('  etc/pads.json: weth: expected an address, 0x and 40 hex digits, got "0x12"\n')
    expect(message).toContain(
      `  etc/pads.json: launchpads[0].adapter: expected one of ${Object.keys(ADAPTER_KINDS).join(', ')}, got "pump"`,
    )
  })
})

describe('loadDatabaseConfig', () => {
  it('puts the schema into the URL, so that each connection has it', () => {
    const { databaseUrl, schema } = loadDatabaseConfig({ DATABASE_URL: 'postgres://u@h/d?sslmode=disable', SCHEMA: 'next' }, options({}))
    expect([schema, databaseUrl]).toEqual(['next', 'postgres://u@h/d?sslmode=disable&tokenwire_schema=next'])
  })

  it.each(['Next', 'pg_next', '1st', 'information_schema', 'a b', 'x'.repeat(41)])('refuses the schema %s', name => {
    expect(() => loadDatabaseConfig({ SCHEMA: name }, options({}))).toThrow('SCHEMA: expected a name of at most 40 lower-case letters')
  })

  it('wants neither a chain nor a launchpads file', () => {
    const files = { '/app/.env': 'DATABASE_URL=postgres://u@h/d\n' }
    expect(loadDatabaseConfig({ DATA_DIR: 'data' }, options(files))).toEqual({
      databaseUrl: 'postgres://u@h/d',
      schema: null,
      dataDir: '/app/data',
      logLevel: 'info',
      logFormat: 'json',
    })
  })

  it('refuses what loadConfig refuses', () => {
    expect(() => loadDatabaseConfig({ DATABASE_URL: 'sqlite://x' }, options())).toThrow('DATABASE_URL: expected postgresql://')
  })
})

describe('variables without an effect', () => {
  const found = (file: string, env: Readonly<Record<string, string>> = {}) => findIdleVariables(env, options({ '/app/.env': file }))

  // GATEWAY_THREADS was removed, and a service that had it set served from one core without a word.
  it('are removed settings, wherever they are set', () => {
    const sentence = 'GATEWAY_THREADS is no setting any more: GATEWAYS starts processes that share the port'
    expect(found('GATEWAY_THREADS=4')).toEqual([sentence])
    expect(found('', { GATEWAY_THREADS: '4' })).toEqual([sentence])
    expect(found('GATEWAY_THREADS=')).toEqual([])
  })

  it('are variables of .env that look like settings', () => {
    expect(found('RPC_URL=x\nCONFIRMATION=1\nMAX_CONNECTION=1\nPORT=1\nNODE_OPTIONS=x\nPOSTGRES_PASSWORD=x')).toEqual([
      'CONFIRMATION in .env is no setting; did you mean CONFIRMATIONS?',
      'MAX_CONNECTION in .env is no setting; did you mean MAX_CONNECTIONS?',
      'RPC_URL in .env is no setting; did you mean RPC_URLS?',
    ])
    expect(found('RPC_PROVIDERS=x')).toEqual(['RPC_PROVIDERS in .env is no setting'])
  })

  // A container's settings are its environment: with RPC_URL set there, the start said that RPC_URLS is missing, and no more.
  it('are variables of the environment that are nearly a setting, unless that is set', () => {
    const env = { RPC_URL: 'http://a.example', DATABASE_URI: 'x', PATH: 'x', HOSTNAME: 'x', LOGNAME: 'x', ALLOWED_ORIGIN: '' }
    expect(found('', env)).toEqual([
      'DATABASE_URI is no setting; did you mean DATABASE_URL?',
      'RPC_URL is no setting; did you mean RPC_URLS?',
    ])
    expect(found('RPC_URLS=http://b.example', { RPC_URL: 'of another program' })).toEqual([])
  })
})

/** Files by absolute path; an error stands for what reading the file throws. */
function options(files: Readonly<Record<string, string | Error>> = {}): LoadConfigOptions {
  const all: Readonly<Record<string, string | Error>> = { '/app/launchpads.json': LAUNCHPADS, ...files }
  return {
    cwd: '/app',
    isTerminal: false,
    knownAdapters: ADAPTER_KINDS,
    readFile: file => {
      const content = all[file] ?? Object.assign(new Error('no such file'), { code: 'ENOENT' })
      if (typeof content !== 'string') throw content
      return content
    },
  }
}

function refusal(env: Readonly<Record<string, string>>, files?: Readonly<Record<string, string | Error>>): string {
  try {
    loadConfig(env, options(files))
  } catch (error) {
    if (!(error instanceof TokenwireError)) throw error
    expect(error).toMatchObject({ code: 'config_invalid', retryable: false })
    return error.message
  }
  throw new Error('the configuration was accepted')
}

function defaults(): Config {
  return {
    role: 'all',
    schema: null,
    standby: false,
    gateways: 0,
    statusPort: 0,
    rpcUrls: ['https://node.example/v2/key'],
    chainId: null,
    launchpadsFile: '/app/launchpads.json',
    launchpads: {
      weth: WETH as Config['launchpads']['weth'],
      launchpads: [
        {
          name: 'mine',
          adapter: 'bonding-curve',
          startBlock: 12,
          contracts: { factory: FACTORY.toLowerCase() as Config['launchpads']['weth'] },
        },
      ],
    },
    confirmations: 0,
    verifyLogs: 'bloom',
    maxReorgDepth: 128,
    rebuildOnDeepReorg: false,
    revaluedTokensPerBlock: 20,
    claimableRefreshBlocks: 10,
    keepLogs: false,
    logsFrom: null,
    retainMinuteCandles: null,
    databaseUrl: null,
    nats: null,
    databaseReadUrl: null,
    dataDir: '/app/.data',
    host: '127.0.0.1',
    port: 3000,
    drainSeconds: 0,
    tls: null,
    allowedOrigins: ['http://localhost:*', 'http://127.0.0.1:*'],
    requireOrigin: false,
    trustProxy: 0,
    pathPrefix: '',
    explorerUrl: null,
    operatorToken: null,
    operatorLoopbackOpen: false,
    integrations: INTEGRATIONS,
    apiKeysFile: null,
    webhooks: [],
    webhooksFile: null,
    webhooksAllowPrivate: false,
    apiKeys: null,
    rateLimitPerMinute: 600,
    maxConnections: 50_000,
    maxConnectionsPerIp: 100,
    maxSubscriptionsPerConnection: 200,
    maxMessagesPerSecond: 50,
    coingeckoUrl: 'https://api.coingecko.com',
    coingeckoApiKey: null,
    coinbaseUrl: 'https://api.coinbase.com',
    metadataFetch: true,
    metadataAllowHttp: false,
    ipfsGateways: ['https://ipfs.io', 'https://dweb.link'],
    arweaveGateways: ['https://arweave.net'],
    logLevel: 'info',
    logFormat: 'json',
  }
}
