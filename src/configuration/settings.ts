import { z } from 'zod'
import { INTEGRATIONS } from '#domain/integration.ts'
import { allowedOrigins, baseUrl, databaseUrl, gatewayUrls, listenHost, pathPrefix, rpcUrls } from './addresses.ts'
import { anyText, flag, secretWord, wholeNumber, word, wordList } from './settingTypes.ts'

const MANY = 1_000_000_000
const MAX_CONFIRMATIONS = 10_000
/** Below the number of blocks that the database remembers (`KEPT_BLOCKS`). */
const MAX_REORG_DEPTH = 4_000

const confirmations = z.codec(
  z.string({ error: `a number of blocks from 0 to ${MAX_CONFIRMATIONS}, safe or finalized` }),
  z.union([z.int().min(0).max(MAX_CONFIRMATIONS), z.enum(['safe', 'finalized'])]),
  { decode: text => (/^\d{1,16}$/.test(text) ? Number(text) : (text.toLowerCase() as 'safe')), encode: String },
)

/** What migrating the database needs. */
export const DATABASE_SETTINGS = {
  DATABASE_URL: databaseUrl.nullable().default(null).meta({
    secret: true,
    description: 'PostgreSQL 15 or newer. Blank: an embedded server under `DATA_DIR`.',
  }),
  DATA_DIR: anyText.default('./.data').describe('Folder of the embedded database and the operator token.'),
  LOG_LEVEL: word(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severe level that is logged.'),
  LOG_FORMAT: word(['json', 'pretty']).nullable().default(null).describe('Format of the log. Blank: `pretty` on a terminal, else `json`.'),
}

/** All settings of the service, by the names of their variables: schema, default and meaning. */
export const SETTINGS = {
  ROLE: word(['all', 'indexer', 'gateway'])
    .default('all')
    .describe(
      '`indexer` writes the index and serves only health and metrics; `gateway` serves what an indexer writes, and needs its `DATABASE_URL`.',
    ),
  STANDBY: flag
    .default(false)
    .describe('While another process indexes into `DATABASE_URL`, waits and serves what it writes; takes over when it is gone.'),
  RPC_URLS: rpcUrls.meta({ secret: true, description: 'RPC providers of the chain. The first healthy one is used.' }),
  CHAIN_ID: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .nullable()
    .default(null)
    .describe('Refuses to start on another chain. Blank: the chain of the providers.'),
  LAUNCHPADS_FILE: anyText.default('./launchpads.json').describe('What to index.'),
  CONFIRMATIONS: confirmations
    .default(3)
    .describe('Blocks below the head before a block is indexed; 0: the head itself. Or the chain’s `safe` or `finalized` block.'),
  MAX_REORG_DEPTH: wholeNumber(0, MAX_REORG_DEPTH)
    .default(128)
    .describe(
      'Reorgs up to this many indexed blocks are replaced; a deeper one stops indexing. Blocks this close to the head are indexed one by one.',
    ),
  CLAIMABLE_REFRESH_BLOCKS: wholeNumber(0, MANY)
    .default(10)
    .describe('Uncollected fees of a traded token’s Uniswap position are read at most once in this many blocks; 0: never.'),
  ...DATABASE_SETTINGS,
  HOST: listenHost.default('127.0.0.1').describe('Address to listen on.'),
  PORT: wholeNumber(0, 65_535).default(3_000).describe('Port to listen on; 0: any free one.'),
  DRAIN_SECONDS: wholeNumber(0, 300)
    .default(0)
    .describe('When it stops, tells its clients to come back spread over this time (close code `4012`). 0: closes them with `1012`.'),
  TLS_CERT_FILE: anyText.nullable().default(null).describe('PEM certificate. With `TLS_KEY_FILE`: https and wss.'),
  TLS_KEY_FILE: anyText.nullable().default(null).describe('PEM key of the certificate.'),
  ALLOWED_ORIGINS: allowedOrigins
    .default(['http://localhost:*', 'http://127.0.0.1:*'])
    .describe('Origins of web pages that may use the service; `*` stands for the port or part of a subdomain, or alone for all origins.'),
  REQUIRE_ORIGIN: flag.default(false).describe('Refuses WebSockets without an `Origin` header, which browsers always send.'),
  TRUST_PROXY: wholeNumber(0, 100).default(0).describe('Number of proxies in front whose `X-Forwarded-For` is trusted.'),
  PATH_PREFIX: pathPrefix.default('').describe('Path below which every route exists a second time, for a proxy that keeps its prefix.'),
  EXPLORER_URL: baseUrl.nullable().default(null).describe('Block explorer of the console’s links. Blank: no links.'),
  OPERATOR_TOKEN: secretWord.nullable().default(null).meta({
    secret: true,
    description:
      'Bearer token of operator routes. Blank: on a loopback `HOST` the token in `DATA_DIR/operator-token`; on any other they are closed.',
  }),
  OPERATOR_LOOPBACK_OPEN: flag
    .default(false)
    .describe('Without `OPERATOR_TOKEN`: opens operator routes to every request from this machine to a loopback name. Not behind a proxy.'),
  INTEGRATIONS: wordList(INTEGRATIONS)
    .default(INTEGRATIONS)
    .describe('Comma list of what is served for other sites: `supply` (plain numbers), `udf` (TradingView’s data feed); `none`: nothing.'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, MANY).default(600).describe('REST requests per minute and client address; 0: no limit.'),
  MAX_CONNECTIONS: wholeNumber(1, MANY).default(50_000).describe('Open WebSockets and event streams.'),
  MAX_CONNECTIONS_PER_IP: wholeNumber(1, MANY).default(100).describe('Open WebSockets and event streams per client address.'),
  MAX_SUBSCRIPTIONS_PER_CONNECTION: wholeNumber(1, MANY).default(200).describe('Subscriptions per WebSocket.'),
  MAX_MESSAGES_PER_SECOND: wholeNumber(1, MANY)
    .default(50)
    .describe('Client messages per second and WebSocket, in bursts of up to four seconds’ worth.'),
  COINGECKO_URL: baseUrl.default('https://api.coingecko.com').meta({ secret: true, description: 'Primary source of the ETH/USD price.' }),
  COINGECKO_API_KEY: secretWord.nullable().default(null).meta({ secret: true, description: 'Key of CoinGecko’s demo or pro plan.' }),
  COINBASE_URL: baseUrl.default('https://api.coinbase.com').meta({ secret: true, description: 'Second source of the ETH/USD price.' }),
  METADATA_FETCH: flag
    .default(true)
    .describe('Whether images and descriptions of tokens are fetched from their metadata URIs. Otherwise only `data:` URIs are read.'),
  METADATA_ALLOW_HTTP: flag.default(false).describe('Whether creators’ `http://` URLs are fetched too.'),
  IPFS_GATEWAYS: gatewayUrls
    .default(['https://ipfs.io', 'https://dweb.link'])
    .meta({ secret: true, description: 'Gateways of `ipfs://`, in order of preference. Image URLs use the first public https one.' }),
  ARWEAVE_GATEWAYS: gatewayUrls
    .default(['https://arweave.net'])
    .meta({ secret: true, description: 'Gateways of `ar://`, in order of preference.' }),
}
