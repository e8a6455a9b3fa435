import type { Config } from '#config'
import { MAX_CHANNEL_SUBSCRIPTIONS, MAX_MESSAGE_BYTES, MAX_WATCHED_PER_CLIENT } from '#protocol/limits.ts'

/** The limits that clients of this service meet. */
export type DescribedLimits = Pick<
  Config,
  'rateLimitPerMinute' | 'maxConnectionsPerIp' | 'maxSubscriptionsPerConnection' | 'maxMessagesPerSecond'
>

export function describeRequestLimit({ rateLimitPerMinute }: DescribedLimits): string {
  return rateLimitPerMinute === 0
    ? 'Requests are not limited.'
    : `One client address may make ${rateLimitPerMinute} requests a minute. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and ` +
        '`RateLimit-Reset` (seconds) say where it stands; after a 429 wait for `Retry-After`.'
}

export function describeConnectionLimits(limits: DescribedLimits): readonly string[] {
  return [
    `At most ${limits.maxConnectionsPerIp} WebSockets and event streams of one client address, together.`,
    `At most ${limits.maxSubscriptionsPerConnection} token subscriptions of one WebSocket, and ${MAX_CHANNEL_SUBSCRIPTIONS} to channels.`,
    `At most ${MAX_WATCHED_PER_CLIENT} different lists and as many different candles on all connections of one client address.`,
    `At most ${limits.maxMessagesPerSecond} messages a second from a client, in bursts of up to four seconds’ worth.`,
    `At most ${MAX_MESSAGE_BYTES.toLocaleString('en')} bytes of UTF-8 in a message, in either direction.`,
  ]
}
