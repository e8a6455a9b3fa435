import type { Logger } from 'pino'
import type { Clock } from '#clock'
import { createHttpEndpoint } from './httpEndpoint.ts'
import { Provider } from './provider.ts'
import { createWebSocketEndpoint } from './webSocketEndpoint.ts'

interface CreateProvidersOptions {
  readonly urls: readonly string[]
  readonly logger: Logger
  readonly clock: Clock
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

/** A provider for each URL, in their order. */
export function createProviders({ urls, logger, clock, timeoutMs = 10_000, fetch }: CreateProvidersOptions): Provider[] {
  return urls.map((url, index) => {
    const name = `rpc-${index + 1}`
    const endpoint = /^wss?:/i.test(url)
      ? createWebSocketEndpoint({ name, url, timeoutMs })
      : createHttpEndpoint({ name, url, epochMs: () => clock.epochMs(), fetch })
    return new Provider({ name, endpoint, clock, logger, timeoutMs })
  })
}
