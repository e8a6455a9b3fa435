import type { Address } from '#domain/address.ts'

/** How deep a block must be before it is indexed: a depth below the head (`0` = the head itself) or the chain's own mark. */
export type Confirmations = number | 'safe' | 'finalized'

export interface LaunchpadConfig {
  readonly name: string
  readonly adapter: string
  readonly startBlock: number
  /** The adapter's contracts by the names of `launchpads.json` (`factory`, `locker`, …). */
  readonly contracts: Readonly<Record<string, Address>>
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
  readonly operatorToken: string | null
  readonly rateLimitPerMinute: number
  readonly maxConnections: number
  readonly maxConnectionsPerIp: number
  readonly maxSubscriptionsPerConnection: number
  readonly maxMessagesPerSecond: number
  readonly coingecko: { readonly url: string; readonly apiKey: string | null }
  readonly coinbase: { readonly url: string }
  readonly log: { readonly level: string; readonly format: 'json' | 'pretty' }
}
