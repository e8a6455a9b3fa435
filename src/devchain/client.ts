import { createTestClient, http, publicActions, walletActions } from 'viem'

/** A viem client that can do everything: read, send from anvil's unlocked accounts, and mine. */
export type DevClient = ReturnType<typeof createDevClient>

/**
 * The client that tests and traders use. Nothing is cached or retried, because a
 * development chain's state changes under the caller's hands.
 */
export function createDevClient(url: string) {
  return createTestClient({
    mode: 'anvil',
    cacheTime: 0,
    pollingInterval: 50,
    transport: http(url, { retryCount: 0, timeout: 30_000 }),
  })
    .extend(publicActions)
    .extend(walletActions)
}
