import type { Address } from '#domain/address.ts'

/** How deep a block must be before it is indexed: a depth below the head (`0` = the head itself) or the chain's own mark. */
export type Confirmations = number | 'safe' | 'finalized'

export interface LaunchpadConfig {
  readonly name: string
  readonly adapter: string
  readonly startBlock: number
  /** The adapter's contracts by the names of `launchpads.json` (`factory`, `locker`, …). */
  readonly contracts: Readonly<Record<string, Address>>
  /** What else the entry holds, such as the `events` of an operator's own contracts. */
  readonly settings?: Readonly<Record<string, unknown>>
}

export interface LaunchpadsConfig {
  readonly weth: Address
  readonly launchpads: readonly LaunchpadConfig[]
}

export interface Config {
  readonly rpcUrls: readonly string[]
  readonly chainId: number | null
  readonly launchpadsFile: string
  readonly launchpads: LaunchpadsConfig
  readonly confirmations: Confirmations
  /** Reorgs of up to so many indexed blocks are swapped for the chain's new ones. */
  readonly maxReorgDepth: number
  /** What lies uncollected in a token's locked position is asked for at most once in so many blocks; 0: never. */
  readonly claimableRefreshBlocks: number
  /** `null`: the embedded server under `dataDir`. */
  readonly databaseUrl: string | null
  readonly dataDir: string
  readonly host: string
  readonly port: number
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  readonly allowedOrigins: readonly string[]
  readonly requireOrigin: boolean
  readonly trustProxy: number
  /** Below which everything answers a second time, such as `/tokenwire`; empty: nowhere else. */
  readonly pathPrefix: string
  /** Where the console's links to transactions and addresses lead; `null`: there are none. */
  readonly explorerUrl: string | null
  readonly operatorToken: string | null
  /** Without a token, operator routes answer whoever asks this machine by a loopback name. */
  readonly operatorLoopbackOpen: boolean
  readonly rateLimitPerMinute: number
  readonly maxConnections: number
  readonly maxConnectionsPerIp: number
  readonly maxSubscriptionsPerConnection: number
  readonly maxMessagesPerSecond: number
  readonly coingecko: { readonly url: string; readonly apiKey: string | null }
  readonly coinbase: { readonly url: string }
  readonly metadata: {
    /** Whether metadata URIs are asked of gateways and servers. */
    readonly fetch: boolean
    /** Whether creators' URLs may be `http`. */
    readonly allowHttp: boolean
    /** Base addresses without a slash at the end, in the order in which they are asked. */
    readonly gateways: { readonly ipfs: readonly string[]; readonly arweave: readonly string[] }
  }
  readonly log: { readonly level: string; readonly format: 'json' | 'pretty' }
}
