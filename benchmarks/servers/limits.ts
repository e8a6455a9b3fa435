import { CONFIG } from '#test/gateway/startGateway.ts'

/** Settings of a gateway that refuses no connection of a benchmark. */
export const LIMITS = {
  ...CONFIG,
  maxConnections: 1_000_000,
  maxConnectionsPerIp: 1_000_000,
  maxSubscriptionsPerConnection: 1_000,
  maxMessagesPerSecond: 100_000,
}
