import type { SETTINGS } from '#configuration/settings.ts'
import type { CamelCased } from '#configuration/settingTypes.ts'
import type { Address } from '#domain/address.ts'

export interface LaunchpadConfig {
  readonly name: string
  readonly adapter: string
  readonly startBlock: number
  /** The adapter's contracts by their names in `launchpads.json` (`factory`, `locker`, …). */
  readonly contracts: Readonly<Record<string, Address>>
  /** The entry's other fields, such as `events`. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Of the adapter that has indexed it. Left out: 1, as in `launchpads.json`. */
  readonly version?: number
}

/** A currency of which a whole unit counts as one US dollar. */
export interface PeggedCurrency {
  readonly token: Address
  readonly decimals: number
}

export interface LaunchpadsConfig {
  readonly weth: Address
  /** Left out: no currency is pegged. */
  readonly pegUsd?: readonly PeggedCurrency[]
  readonly launchpads: readonly LaunchpadConfig[]
}

/** An API key of `API_KEYS_FILE`. */
export interface ApiKey {
  /** Shown in metrics and `/api/usage`. */
  readonly name: string
  /** SHA-256 of the key, in lower-case hex. */
  readonly sha256: string
  /** Left out: those of an address without a key. 0 requests per minute: no limit. */
  readonly limits?: { readonly requestsPerMinute?: number; readonly connections?: number }
  /** Pages that may use the key, and nothing but pages, by the rules of `ALLOWED_ORIGINS`. Left out: those and all programs. */
  readonly origins?: readonly string[]
  /** Whether the key opens operator routes. */
  readonly operator?: boolean
}

/** A webhook of `WEBHOOKS_FILE`. */
export interface WebhookConfig {
  readonly name: string
  /** A credential, as many receivers have a key in its path. */
  readonly url: string
  /** `whsec_` and the key in base64. While a receiver changes its secret: two or three with spaces between them, each of which signs. */
  readonly secret: string
  readonly channel: 'launches' | 'graduations' | 'trades' | 'crossings'
  /** As in a message that subscribes to the channel. */
  readonly filters: Readonly<Record<string, unknown>>
}

type Settings = CamelCased<typeof SETTINGS>

/** Every setting by its name in camel case (`MAX_REORG_DEPTH` is `maxReorgDepth`), paths absolute; `SETTINGS` describes them. */
export interface Config extends Omit<Settings, 'logFormat' | 'tlsCertFile' | 'tlsKeyFile' | 'natsUrl' | 'natsCredsFile'> {
  readonly logFormat: NonNullable<Settings['logFormat']>
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  /** `null`: PostgreSQL's notifications carry committed blocks. */
  readonly nats: { readonly urls: readonly string[]; readonly credsFile: string | null } | null
  /** The content of `launchpadsFile`. */
  readonly launchpads: LaunchpadsConfig
  /** The content of `apiKeysFile` at the start; `null`: the service has no keys, and ignores those that it is given. */
  readonly apiKeys: readonly ApiKey[] | null
  /** The content of `webhooksFile` at the start. */
  readonly webhooks: readonly WebhookConfig[]
}

/** When a block counts as confirmed: at a depth below the head, or at the chain's block of that name. */
export type Confirmations = Config['confirmations']
