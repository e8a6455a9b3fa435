import type { Address } from '#domain/address.ts'
import type { Integration } from '#domain/integration.ts'

/** When a block counts as confirmed: at a depth below the head (0: the head itself), or at the chain's `safe` or `finalized` block. */
export type Confirmations = number | 'safe' | 'finalized'

export interface LaunchpadConfig {
  readonly name: string
  readonly adapter: string
  readonly startBlock: number
  /** The adapter's contracts by their names in `launchpads.json` (`factory`, `locker`, …). */
  readonly contracts: Readonly<Record<string, Address>>
  /** The entry's other fields, such as `events`. */
  readonly settings?: Readonly<Record<string, unknown>>
}

export interface LaunchpadsConfig {
  readonly weth: Address
  readonly launchpads: readonly LaunchpadConfig[]
}

/** What a process does: both, write the index, or serve what another process writes. */
export type Role = 'all' | 'indexer' | 'gateway'

export interface Config {
  readonly role: Role
  /** Waits while another process indexes into the database, and takes over when that one is gone. */
  readonly standby: boolean
  readonly rpcUrls: readonly string[]
  readonly chainId: number | null
  readonly launchpadsFile: string
  readonly launchpads: LaunchpadsConfig
  readonly confirmations: Confirmations
  /** Reorgs up to this depth, in indexed blocks, are replaced in one transaction. */
  readonly maxReorgDepth: number
  /** Uncollected fees of a token's locked LP position are read at most once in this many blocks; 0: never. */
  readonly claimableRefreshBlocks: number
  /** `null`: the embedded server under `dataDir`. */
  readonly databaseUrl: string | null
  readonly dataDir: string
  readonly host: string
  readonly port: number
  /** Over how many seconds clients are to come back when the process stops; 0: as they like. */
  readonly drainSeconds: number
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  readonly allowedOrigins: readonly string[]
  readonly requireOrigin: boolean
  readonly trustProxy: number
  /** Path, such as `/tokenwire`, below which every route exists a second time; empty: none. */
  readonly pathPrefix: string
  readonly explorerUrl: string | null
  readonly operatorToken: string | null
  /** Without a token, operator routes answer requests sent from this machine to a loopback name. */
  readonly operatorLoopbackOpen: boolean
  readonly integrations: readonly Integration[]
  readonly rateLimitPerMinute: number
  readonly maxConnections: number
  readonly maxConnectionsPerIp: number
  readonly maxSubscriptionsPerConnection: number
  readonly maxMessagesPerSecond: number
  readonly coingecko: { readonly url: string; readonly apiKey: string | null }
  readonly coinbase: { readonly url: string }
  readonly metadata: {
    readonly fetch: boolean
    readonly allowHttp: boolean
    /** Base URLs without a trailing slash, in order of preference. */
    readonly gateways: { readonly ipfs: readonly string[]; readonly arweave: readonly string[] }
  }
  readonly log: { readonly level: string; readonly format: 'json' | 'pretty' }
}
