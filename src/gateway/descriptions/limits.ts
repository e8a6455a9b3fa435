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
    `${limits.maxConnectionsPerIp} WebSockets and event streams of one client address, together.`,
    `${limits.maxSubscriptionsPerConnection} subscriptions of one WebSocket to tokens, and ${MAX_CHANNEL_SUBSCRIPTIONS} to channels.`,
    `${MAX_WATCHED_PER_CLIENT} different lists and as many different candles on all connections of one client address.`,
    `${limits.maxMessagesPerSecond} messages a second from a client, in bursts of up to four seconds’ worth.`,
    `${MAX_MESSAGE_BYTES.toLocaleString('en')} bytes of UTF-8 in a message, in either direction.`,
  ]
}
