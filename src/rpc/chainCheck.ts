import type { Logger } from 'pino'
import type { Clock } from '#clock'
import { TokenwireError } from '#errors'
import { parseQuantity } from './answerFields.ts'
import { parseHeader } from './header.ts'
import type { HeaderCheck } from './headerCheck.ts'
import type { Provider } from './provider.ts'
import type { ProviderCallOptions } from './providerCallOptions.ts'
import { areBehind, backOffUntilMs, isHealthy } from './providerHealth.ts'
import { blockByTag } from './rpcCalls.ts'
import type { RpcCall } from './rpcEndpoint.ts'
import { faultOf, isLost, RpcError } from './rpcFault.ts'

export interface ChainCheckOptions {
  readonly providers: readonly Provider[]
  /** The expected chain; `null`: the chain that all answering providers serve. */
  readonly chainId: number | null
  readonly logger: Logger
  readonly clock: Clock
  readonly headers: Pick<HeaderCheck, 'checkProbe'>
}

/** Makes sure that only providers of the right chain with a fresh head are asked. */
export interface ChainCheck {
  /**
   * Asks every provider for its chain and waits for those that answer soon.
   *
   * @returns the chain id
   * @throws `TokenwireError` `chain_mismatch`, `rpc_unavailable`
   */
  connect(): Promise<number>
  /** @throws `RpcError` when the provider does not answer or serves another chain */
  identify(provider: Provider): Promise<void>
  /**
   * Probes, without waiting, the providers that get no requests: so a preferred provider that works again is found, and a stale one is
   * known before it is needed.
   */
  probeIdle(): void
}

const CONNECT_TIMEOUT_MS = 5_000
/** How often a provider that gets no requests shows its chain and head. */
const PROBE_EVERY_MS = 30_000

export function createChainCheck({ providers, chainId: configured, logger, clock, headers }: ChainCheckOptions): ChainCheck {
  let expected = configured
  const probedAtMs = new Map<string, number>()
  const probing = new Set<string>()

  /** Returns the chain id, which is `wanted` unless that is `null`. */
  const identify = async (provider: Provider, wanted: number | null, timeoutMs?: number): Promise<number> => {
    let sentAtMs = clock.nowMs()
    probedAtMs.set(provider.name, sentAtMs)
    const options: ProviderCallOptions = {
      onAnswered: atMs => {
        sentAtMs = atMs
      },
      ...(timeoutMs !== undefined && { timeoutMs }),
    }
    try {
      const [id, block] = await provider.call(IDENTITY_CALLS, options)
      const chainId = parseQuantity(id, 'eth_chainId')
      if (wanted !== null && wanted !== chainId)
        throw new RpcError({ kind: 'wrong-chain', expected: wanted, actual: chainId }, provider.name)
      const head = parseHeader(block, 'a head')
      headers.checkProbe(head)
      provider.identified(sentAtMs, head.timestamp)
      const behind = areBehind(providers.map(({ health }) => health))
      for (const [index, one] of providers.entries()) one.setBehind(behind[index] === true)
      return chainId
    } catch (error) {
      const fault = faultOf(error)
      if (fault !== null && !isLost(fault)) provider.failed(fault, sentAtMs)
      throw error
    }
  }

  const probe = async (provider: Provider): Promise<void> => {
    probing.add(provider.name)
    try {
      await identify(provider, expected)
    } catch (error) {
      // A fault of the provider is in its health already.
      if (faultOf(error) === null) logger.error({ provider: provider.name, err: error }, 'probing an RPC provider failed')
    } finally {
      probing.delete(provider.name)
    }
  }

  return {
    identify: async provider => {
      const chainId = await identify(provider, expected)
      expected ??= chainId
    },
    probeIdle: () => {
      const nowMs = clock.nowMs()
      for (const provider of providers) {
        const last = probedAtMs.get(provider.name) ?? Number.NEGATIVE_INFINITY
        if (!probing.has(provider.name) && isProbeDue(provider, providers.length, nowMs, last)) void probe(provider)
      }
    },
    connect: async () => {
      const outcomes = await Promise.allSettled(providers.map(provider => identify(provider, configured, CONNECT_TIMEOUT_MS)))
      const chains = Map.groupBy(
        providers.flatMap(({ name }, index) => {
          const outcome = outcomes[index]
          return outcome?.status === 'fulfilled' ? [{ name, chainId: outcome.value }] : []
        }),
        ({ chainId }) => chainId,
      )
      const [chainId] = chains.keys()
      if (chainId === undefined) throw connectError(outcomes)
      if (chains.size > 1) throw disagreement(chains)
      expected = chainId
      const unanswered = providers.flatMap(({ name }, index) => (outcomes[index]?.status === 'rejected' ? [name] : []))
      if (configured === null && unanswered.length > 0)
        logger.warn(
          { chainId, unanswered },
          'CHAIN_ID is not set, and not all providers have answered: the chain is that of those that have',
        )
      return chainId
    },
  }
}

const IDENTITY_CALLS: readonly RpcCall[] = [{ method: 'eth_chainId', params: [] }, blockByTag('latest')]

function isProbeDue(provider: Provider, providers: number, nowMs: number, probedAtMs: number): boolean {
  const { health, limits } = provider
  // A lone provider gets the next question whatever it did before, unless it serves another chain.
  if (providers === 1 && health.chain !== 'wrong') return false
  if (nowMs < limits.silentUntilMs || nowMs < backOffUntilMs(health)) return false
  const failing = health.chain !== 'wrong' && !health.behind && !isHealthy(provider, nowMs)
  return failing || nowMs - probedAtMs >= PROBE_EVERY_MS
}

function disagreement(chains: ReadonlyMap<number, readonly { readonly name: string }[]>): TokenwireError {
  const said = [...chains].map(([chainId, shown]) => `${shown.map(({ name }) => name).join(', ')}: chain ${chainId}`)
  return new TokenwireError(
    'chain_mismatch',
    `the providers of RPC_URLS serve different chains (${said.join('; ')}); set CHAIN_ID to the chain to index, or correct RPC_URLS`,
  )
}

/**
 * The error when no provider of the right chain has answered. A wrong chain is reported first, since it is a mistake in the configuration:
 * a silent provider may answer later.
 */
function connectError(outcomes: readonly PromiseSettledResult<number>[]): unknown {
  const reasons = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  const mismatch = reasons.find(reason => faultOf(reason)?.kind === 'wrong-chain')
  if (mismatch !== undefined) return mismatch
  const sentences = reasons.map(reason => (reason instanceof RpcError ? reason.message : 'an RPC provider failed'))
  return new TokenwireError('rpc_unavailable', `no RPC provider answers (${sentences.join('; ')})`, { retryable: true })
}
