import { createTestClient, http, publicActions, walletActions } from 'viem'

/** A viem client that reads, sends from anvil's unlocked accounts, and mines. */
export type DevClient = ReturnType<typeof createDevClient>

/** The client of tests and traders. It neither caches nor retries, because the caller itself changes the chain's state. */
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
