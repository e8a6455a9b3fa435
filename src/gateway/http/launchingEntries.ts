import type { LaunchpadConfig, LaunchpadsConfig } from '#config'

/** The entries of `launchpads.json` that launch tokens, in its order, without the pools of quote currencies. */
export function launchingEntries(config: LaunchpadsConfig): readonly LaunchpadConfig[] {
  return config.launchpads.filter(({ adapter }) => adapter !== 'quote-pool')
}
