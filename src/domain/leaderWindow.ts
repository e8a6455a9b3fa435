/** The windows of leaders over all tokens. */
export const LEADER_WINDOWS = ['24h', '7d', '30d', 'all'] as const

export type LeaderWindow = (typeof LEADER_WINDOWS)[number]

const DAY_SECONDS = 86_400

/** Lengths in seconds. A window holds the trades after its start: `timestamp > now - length`. `null`: it has no start. */
export const LEADER_WINDOW_SECONDS: Readonly<Record<LeaderWindow, number | null>> = {
  '24h': DAY_SECONDS,
  '7d': 7 * DAY_SECONDS,
  '30d': 30 * DAY_SECONDS,
  all: null,
}
