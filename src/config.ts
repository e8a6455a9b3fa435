import type { CamelCased } from '#configuration/parseSettings.ts'
import type { SETTINGS } from '#configuration/settings.ts'
import type { Address } from '#domain/address.ts'

export interface LaunchpadConfig {
  readonly name: string
  readonly adapter: string
  readonly startBlock: number
  /** The adapter's contracts by their names in `launchpads.json` (`factory`, `locker`, …). */
  readonly contracts: Readonly<Record<string, Address>>
  /** The entry's other fields, such as `events`. */
  readonly settings?: Readonly<Record<string, unknown>>
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

type Settings = CamelCased<typeof SETTINGS>

/** Every setting by its name in camel case (`MAX_REORG_DEPTH` is `maxReorgDepth`), paths absolute; `SETTINGS` describes them. */
export interface Config extends Omit<Settings, 'logFormat' | 'tlsCertFile' | 'tlsKeyFile' | 'natsUrl' | 'natsCredsFile'> {
  readonly logFormat: NonNullable<Settings['logFormat']>
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  /** `null`: PostgreSQL's notifications carry committed blocks. */
  readonly nats: { readonly urls: readonly string[]; readonly credsFile: string | null } | null
  /** The content of `launchpadsFile`. */
  readonly launchpads: LaunchpadsConfig
}

/** When a block counts as confirmed: at a depth below the head, or at the chain's block of that name. */
export type Confirmations = Config['confirmations']
