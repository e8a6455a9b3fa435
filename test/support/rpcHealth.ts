import type { RpcHealth } from '#resources/health.ts'

/** The health of a provider that answers and has refused nothing. */
export function rpcHealth(changed: Partial<RpcHealth> = {}): RpcHealth {
  const learned = { concurrency: null, batchSize: 100, rangeBlocks: 100_000, silentSeconds: null }
  return { name: 'rpc-1', healthy: true, cause: null, latencyMs: 12, errorRate: 0, ...learned, ...changed }
}
