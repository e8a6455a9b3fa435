import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { allowedOrigins, baseUrl, databaseUrl, gatewayUrls, listenHost, natsUrls, pathPrefix, rpcUrls } from './addresses.ts'
import { anyText, flag, schemaName, secretWord, wholeDays, wholeNumber, word, wordList } from './settingTypes.ts'

/** The APIs that sites, chart libraries and agents define and this service serves, by the words of the variable `INTEGRATIONS`. */
export const INTEGRATIONS = ['supply', 'udf', 'dexscreener', 'geckoterminal', 'dextools', 'coingecko', 'mcp'] as const
export type Integration = (typeof INTEGRATIONS)[number]

/** The settings that commands on the database need. As `SETTINGS`, of which they are a part. */
export const DATABASE_SETTINGS = {
  DATABASE_URL: databaseUrl.nullable().default(null).meta({
    secret: true,
    description: 'PostgreSQL 15 or newer, postgresql://user:password@host:5432/database. Blank: a private server under DATA_DIR.',
  }),
  SCHEMA: schemaName
    .nullable()
    .default(null)
    .describe(
      'The schema of the index in its database, which is created if it is missing. Blank: the one that npm run db:switch made the served ' +
        'one, else where the tables are. With a name, a second index is built beside the one that is served.',
    ),
  DATA_DIR: anyText.default('./.data').describe("The folder of the private server, of its log and of the operators' token."),
  LOG_LEVEL: word(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('The least severe level that is logged: trace, debug, info, warn, error, fatal or silent.'),
  LOG_FORMAT: word(['json', 'pretty']).nullable().default(null).describe('json or pretty. Blank: pretty on a terminal, else json.'),
}

/*
 * All settings by the names of their variables: type, default and description. A `secret` one is not repeated in errors.
 * `npx vitest run test/configuration -u` writes them to `.env.example`.
 */

const MANY = 1_000_000_000
const MAX_CONFIRMATIONS = 10_000
/** Below the number of blocks that the database remembers (`KEPT_BLOCKS`). */
const MAX_REORG_DEPTH = 4_000

const confirmations = z
  .string({ error: `a number of blocks from 0 to ${MAX_CONFIRMATIONS}, safe or finalized` })
  .transform(text => (/^\d{1,16}$/.test(text) ? Number(text) : text.toLowerCase()))
  .pipe(z.union([z.int().min(0).max(MAX_CONFIRMATIONS), z.enum(['safe', 'finalized'])]))

const MAX_GATEWAYS = 64

const processCount = z
  .string({ error: `a whole number from 0 to ${MAX_GATEWAYS} or auto` })
  .transform(text =>
    text.toLowerCase() === 'auto' ? Math.max(1, availableParallelism() - 1) : /^\d{1,16}$/.test(text) ? Number(text) : text,
  )
  .pipe(z.int().min(0).max(MAX_GATEWAYS))

export const SETTINGS = {
  ROLE: word(['all', 'indexer', 'gateway'])
    .default('all')
    .describe(
      'all; or several processes: indexer (writes the index, serves health and metrics) and any number of gateway (serve what it ' +
        "writes). A gateway needs the indexer's DATABASE_URL, and neither RPC_URLS nor LAUNCHPADS_FILE.",
    ),
  STANDBY: flag
    .default(false)
    .describe(
      'true, with a ROLE that indexes: while another process indexes into the same DATABASE_URL, this one only serves. ' +
        'It takes over when the other one is gone: within 3 s if that was killed, within 25 s if it hangs or its ' +
        'host is lost.',
    ),
  RPC_URLS: rpcUrls.meta({
    secret: true,
    description:
      "The chain's RPC providers, http(s) or ws(s), in order of preference: the first healthy one is used. Required by npm start.",
  }),
  CHAIN_ID: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .nullable()
    .default(null)
    .describe('EIP-155 id of the chain. The service does not start with providers of another chain. Blank: the chain of the providers.'),
  LAUNCHPADS_FILE: anyText
    .default('./launchpads.json')
    .describe('What to index: see docs/launchpads.example.json. Read again within 5 s after a change, and on SIGHUP.'),
  CONFIRMATIONS: confirmations
    .default(0)
    .describe(
      'How many blocks below the head a block must be to be indexed, 0 for the head itself: reorgs of indexed blocks are undone. Or safe ' +
        "or finalized: up to the chain's block of that name.",
    ),
  MAX_REORG_DEPTH: wholeNumber(0, MAX_REORG_DEPTH)
    .default(128)
    .describe(
      `Reorgs of up to this many indexed blocks are undone and indexed anew, 0 to ${MAX_REORG_DEPTH}; a deeper one stops indexing (REBUILD_ON_DEEP_REORG). ` +
        'Blocks this close to the head are indexed one by one.',
    ),
  REBUILD_ON_DEEP_REORG: flag
    .default(false)
    .describe(
      'true: after a reorg that is deeper than can be undone, the index is built anew beside the old one, which is served until then. ' +
        'false: npm run launchpads -- rebuild does the same.',
    ),
  VERIFY_LOGS: word(['bloom', 'receipts'])
    .default('bloom')
    .describe(
      'How logs of providers are checked. bloom: against the bloom filter in the header of their block, which covers ' +
        'addresses and topics, or a second source where blooms do not fit. receipts: against the receipts root in that ' +
        'header, which covers amounts too; this calls eth_getBlockReceipts for every block with logs.',
    ),
  REVALUED_TOKENS_PER_BLOCK: wholeNumber(0, 1_000)
    .default(20)
    .describe(
      'Most tokens that each block near the head values anew because their quote currency, not WETH, has moved by ' +
        '0.5 %, 0 to 1000. 0: tokens are valued anew at their own events only.',
    ),
  CLAIMABLE_REFRESH_BLOCKS: wholeNumber(0, MANY)
    .default(10)
    .describe(
      'For launchpads that lock Uniswap positions (clanker-v3.1): the uncollected fees of a token that trades are read ' +
        'by a simulated call, at most once in this many blocks. 0: never.',
    ),
  KEEP_LOGS: flag
    .default(false)
    .describe(
      'true: the raw logs that are fetched in block ranges are kept in the database, compressed, once for all its indexes. An index that ' +
        'is built anew asks providers only for what is missing.',
    ),
  LOGS_FROM: databaseUrl.nullable().default(null).meta({
    secret: true,
    description: 'Another database of the same chain, whose kept logs are read before providers are asked. Nothing is written there.',
  }),
  RETAIN_MINUTE_CANDLES: wholeDays(2, 36_500)
    .nullable()
    .default(null)
    .describe(
      'How long candles of one minute are kept, as in 90d: from 2d to 36500d, counted back from the newest final block. Older ones are ' +
        'dropped for good; longer intervals are always kept. Blank: all are kept.',
    ),
  ...DATABASE_SETTINGS,
  DATABASE_READ_URL: databaseUrl
    .nullable()
    .default(null)
    .meta({
      secret: true,
      description:
        'For a gateway: a streaming replica of DATABASE_URL to read from. Updates wait until it shows their commit. If ' +
        'that takes 3 s, reads go to DATABASE_URL until the replica has caught up.',
    }),
  NATS_URL: natsUrls.default([]).meta({
    secret: true,
    description:
      'NATS, to carry committed blocks to gateways in place of PostgreSQL’s NOTIFY: nats://[user:password@]host:4222 or ' +
      'tls://…, a comma list for a cluster. Must be the same for the indexing process and its gateways. Blank: NOTIFY.',
  }),
  NATS_CREDS_FILE: anyText
    .nullable()
    .default(null)
    .describe('A credentials file (JWT and nkey) for NATS_URL, in place of user and password.'),
  HOST: listenHost.default('127.0.0.1').describe('The address to listen on.'),
  PORT: wholeNumber(0, 65_535).default(3_000).describe('The port to listen on; 0: any free one.'),
  GATEWAYS: processCount
    .default(0)
    .describe(
      'Number of gateway processes that this command starts and watches, on PORT; auto: the number of cores minus one. ' +
        '0: this process serves. SIGUSR2 replaces them one by one. Limits of clients are for each process.',
    ),
  STATUS_PORT: wholeNumber(0, 65_000)
    .default(0)
    .describe(
      'With GATEWAYS: the port on which this process serves its own health and metrics; gateway n serves its own on this ' +
        'port plus n. 0: any free ones, which the log and the list of processes show.',
    ),
  DRAIN_SECONDS: wholeNumber(0, 300)
    .default(0)
    .describe(
      'For one of several gateways: when it stops, its clients are told to reconnect spread over this many seconds, ' +
        '0 to 300 (close code 4012). 0: they are closed with 1012 and reconnect when they like.',
    ),
  TLS_CERT_FILE: anyText
    .nullable()
    .default(null)
    .describe('PEM certificate. With TLS_KEY_FILE: https and wss. Read again within a minute after a change, and on SIGHUP.'),
  TLS_KEY_FILE: anyText.nullable().default(null).describe('PEM key of the certificate, without a passphrase.'),
  ALLOWED_ORIGINS: allowedOrigins
    .default(['http://localhost:*', 'http://127.0.0.1:*'])
    .describe(
      'Origins of web pages that may use the service: a comma list, * for the port or part of a subdomain (https://*.example.com), or ' +
        '* alone for all.',
    ),
  REQUIRE_ORIGIN: flag
    .default(false)
    .describe('true: WebSockets without an Origin header are refused. Browsers always send one, other clients rarely.'),
  TRUST_PROXY: wholeNumber(0, 100).default(0).describe('Number of proxies in front whose X-Forwarded-For is trusted.'),
  PATH_PREFIX: pathPrefix
    .default('')
    .describe('A path such as /tokenwire below which every route exists a second time, for a proxy that keeps its prefix.'),
  EXPLORER_URL: baseUrl
    .nullable()
    .default(null)
    .describe('The block explorer that the console links to, such as https://basescan.org. Blank: no links.'),
  OPERATOR_TOKEN: secretWord
    .nullable()
    .default(null)
    .meta({
      secret: true,
      description:
        'Bearer token of operator routes and /metrics. Blank: on a loopback HOST they answer this machine alone and ask for the token ' +
        'that the service writes to DATA_DIR/operator-token; on any other HOST they are closed.',
    }),
  OPERATOR_LOOPBACK_OPEN: flag
    .default(false)
    .describe(
      'true, without OPERATOR_TOKEN: operator routes need no token for requests from this machine that go to a loopback ' +
        'name and have no header of a proxy. Unsafe behind a proxy that adds no header. npm run dev sets it.',
    ),
  API_KEYS_FILE: anyText
    .nullable()
    .default(null)
    .describe(
      'A file of hashed API keys with limits, origins and operator rights of their own, which npm run keys writes: see ' +
        'docs/operation.md. Read again within 5 s after a change. Blank: no keys.',
    ),
  WEBHOOKS_FILE: anyText
    .nullable()
    .default(null)
    .describe(
      'A file of webhooks: launches, graduations, trades and crossings are posted to them, see docs/operation.md. The process that indexes ' +
        'sends them, and reads the file again within 5 s after a change. Blank: none.',
    ),
  WEBHOOKS_ALLOW_PRIVATE: flag
    .default(false)
    .describe('true: webhooks may be sent to private addresses, and over plain http. For receivers in the same network.'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, MANY)
    .default(600)
    .describe('Maximum number of REST requests per minute and client address; 0: no limit.'),
  INTEGRATIONS: wordList(INTEGRATIONS)
    .default(INTEGRATIONS)
    .describe(
      "What is served in others' formats, a comma list of supply (plain numbers for CoinGecko and CoinMarketCap), udf (TradingView's data " +
        'feed), dexscreener, geckoterminal and dextools (what these sites read pairs and trades from), coingecko (tickers) and mcp (tools ' +
        'for agents); none: nothing.',
    ),
  MAX_CONNECTIONS: wholeNumber(1, MANY)
    .default(50_000)
    .describe(
      'Maximum number of open WebSockets and event streams. The limit of open files may allow fewer; then the service ' +
        'says so at its start.',
    ),
  MAX_CONNECTIONS_PER_IP: wholeNumber(1, MANY)
    .default(100)
    .describe('Maximum number of open WebSockets and event streams per client address.'),
  MAX_SUBSCRIPTIONS_PER_CONNECTION: wholeNumber(1, MANY).default(200).describe('Maximum number of subscriptions per WebSocket.'),
  MAX_MESSAGES_PER_SECOND: wholeNumber(1, MANY)
    .default(50)
    .describe("Maximum number of client messages per second and WebSocket, in bursts of up to four seconds' worth."),
  COINGECKO_URL: baseUrl.default('https://api.coingecko.com').meta({ secret: true, description: 'Primary source of the ETH/USD price.' }),
  COINGECKO_API_KEY: secretWord
    .nullable()
    .default(null)
    .meta({ secret: true, description: "Key of CoinGecko's demo plan, or of the pro plan with its COINGECKO_URL." }),
  COINBASE_URL: baseUrl
    .default('https://api.coinbase.com')
    .meta({ secret: true, description: 'Source of the ETH/USD price while COINGECKO_URL fails, and compared with it.' }),
  METADATA_FETCH: flag
    .default(true)
    .describe(
      'Whether images and descriptions of tokens are fetched from their metadata URIs in the background. false: nothing is requested, ' +
        'and only data: URIs are read.',
    ),
  METADATA_ALLOW_HTTP: flag.default(false).describe("Whether creators' http:// URLs are fetched too."),
  IPFS_GATEWAYS: gatewayUrls.default(['https://ipfs.io', 'https://dweb.link']).meta({
    secret: true,
    description:
      'Gateways of ipfs://, at most five, in order of preference. They may have private addresses. URLs of images use the first ' +
      'public https one.',
  }),
  ARWEAVE_GATEWAYS: gatewayUrls
    .default(['https://arweave.net'])
    .meta({ secret: true, description: 'Gateways of ar://, with the same rules.' }),
}
