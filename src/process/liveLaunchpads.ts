import type { Config } from '#config'

/** The configuration with the launchpads of the index, which may change while the process runs. */
export function withLiveLaunchpads(config: Config, launchpads: () => Config['launchpads']): Config {
  return Object.defineProperty({ ...config }, 'launchpads', { get: launchpads, enumerable: true })
}
