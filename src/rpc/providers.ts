import type { Logger } from 'pino'
import type { Clock } from '#clock'
import { TokenwireError } from '#errors'
import { createHttpEndpoint } from './httpEndpoint.ts'
import { afterAnswer, afterFault, markBehind, type ProviderHealth, type Span, toRpcHealth, unknownProvider } from './providerHealth.ts'
import type { RpcEndpoint } from './rpcEndpoint.ts'
import type { RpcFault } from './rpcFault.ts'
import { createTurns, type Turns } from './turns.ts'
import { createWebSocketEndpoint } from './webSocketEndpoint.ts'

/** One provider: its wire and what is known of it. */
export interface Provider {
  /** `rpc-1` … in the order of `RPC_URLS`. */
  readonly name: string
  readonly endpoint: RpcEndpoint
  readonly turns: Turns
  health(): ProviderHealth
  /** Notes an answer that was believed. */
  answered(span: Span): void
  /** Notes an answer that names the right chain and a head. */
  identified(span: Span, headTimestamp: number): void
  failed(fault: RpcFault, span: Span): void
}

export interface ProvidersOptions {
  readonly urls: readonly string[]
  readonly logger: Logger
  readonly clock: Clock
  readonly random: () => number
  readonly fetch?: typeof fetch
}

/**
 * The providers of `RPC_URLS`. They say in the log when one is set aside or comes back, by name only.
 *
 * @throws `TokenwireError` `config_invalid` when there are none
 */
export function createProviders(options: ProvidersOptions): readonly Provider[] {
  const { urls, logger, clock, random } = options
  const settings = urls.map((url, index) => ({ name: `rpc-${index + 1}`, url }))
  const healths = new Map(settings.map(({ name }) => [name, unknownProvider(name)]))
  const reportedHealthy = new Map<string, boolean>()
  if (healths.size === 0) throw new TokenwireError('config_invalid', 'RPC_URLS must name at least one RPC endpoint')

  const healthOf = (name: string) => healths.get(name) ?? unknownProvider(name)
  const record = (health: ProviderHealth) => {
    const { name, consecutiveFailures, behind } = health
    healths.set(name, health)
    // Nothing is known of one that was never asked; that is no news.
    if (health.chain === 'unknown' && consecutiveFailures === 0) return
    const { healthy, errorRate } = toRpcHealth(health, clock.nowMs())
    if (healthy === (reportedHealthy.get(name) ?? true)) return
    reportedHealthy.set(name, healthy)
    if (healthy) logger.info({ provider: name }, 'RPC provider is healthy')
    else logger.warn({ provider: name, consecutiveFailures, errorRate, behind }, 'RPC provider is set aside')
  }

  return settings.map(({ name, url }) => ({
    name,
    endpoint: createEndpoint(name, url, options),
    turns: createTurns(),
    health: () => healthOf(name),
    answered: span => record(afterAnswer(healthOf(name), span)),
    identified: (span, headTimestamp) => {
      const head = { timestamp: headTimestamp, seenAtMs: span.nowMs }
      record({ ...afterAnswer(healthOf(name), span), chain: 'right', head })
      for (const marked of markBehind([...healths.values()])) record(marked)
    },
    failed: (fault, span) => {
      const health = healthOf(name)
      if (fault.kind === 'wrong-chain' && health.chain !== 'wrong') {
        logger.error({ provider: name, expected: fault.expected, actual: fault.actual }, 'RPC provider serves another chain')
      }
      record(afterFault(health, fault, span, random()))
    },
  }))
}

function createEndpoint(name: string, url: string, { clock, fetch: fetchFn }: ProvidersOptions): RpcEndpoint {
  if (/^wss?:/i.test(url)) return createWebSocketEndpoint({ name, url })
  return createHttpEndpoint({ name, url, nowMs: () => clock.nowMs(), ...(fetchFn === undefined ? {} : { fetch: fetchFn }) })
}
