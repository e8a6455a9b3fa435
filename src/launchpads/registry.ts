import type { LaunchpadConfig, LaunchpadsConfig } from '#config'
import { bondingCurve } from '#launchpads/adapters/bondingCurve.ts'
import { clankerV4 } from '#launchpads/adapters/clankerV4.ts'
import { clankerV31 } from '#launchpads/adapters/clankerV31.ts'
import { flaunch } from '#launchpads/adapters/flaunch.ts'
import { wow } from '#launchpads/adapters/wow.ts'
import { zoraCoins } from '#launchpads/adapters/zoraCoins.ts'
import { quotePool } from '#launchpads/pools/quotePool.ts'
import type { AdapterKind, LaunchpadAdapter } from './adapter.ts'

/** Every kind of launchpad by its `adapter` name in `launchpads.json`. A new kind is a file in this folder and a line here. */
export const ADAPTER_KINDS: Readonly<Record<string, AdapterKind>> = {
  'bonding-curve': bondingCurve,
  wow,
  'clanker-v3.1': clankerV31,
  'clanker-v4': clankerV4,
  'zora-coins': zoraCoins,
  flaunch,
  'quote-pool': quotePool,
}

export const versionOf = (adapter: string): number => ADAPTER_KINDS[adapter]?.version ?? 1

/** The entries as this version of the service indexes them. */
export function withVersions(launchpads: readonly LaunchpadConfig[]): readonly LaunchpadConfig[] {
  return launchpads.map(entry => ({ ...entry, version: versionOf(entry.adapter) }))
}

/** @throws `TypeError` for an `adapter` that is not in `ADAPTER_KINDS`, which validation excludes */
export function createAdapters({ weth, launchpads }: LaunchpadsConfig): readonly LaunchpadAdapter[] {
  return launchpads.map(({ name: launchpad, adapter, ...entry }) => {
    const kind = ADAPTER_KINDS[adapter]
    if (kind === undefined) throw new TypeError(`unknown adapter ${adapter}`)
    return kind.create({ ...entry, launchpad, weth })
  })
}
