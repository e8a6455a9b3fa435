import type { Logger } from 'pino'
import { setNewest } from '#domain/maps.ts'
import type { MetadataWork, TokenDocument } from '#domain/metadata.ts'
import { type Attempted, type Failure, failure, isTemporary, MAX_PAUSE_MS } from './failure.ts'
import { fetchText, type Gateways, type Location, locate, type MetadataUri } from './fetchText.ts'
import type { Outbound } from './outbound.ts'
import { parseMetadataUri, readDocument } from './readDocument.ts'

export interface MetadataSettings {
  /** Whether documents are fetched. If not, only `data:` URIs and JSON in the URI are read. */
  readonly fetch: boolean
  /** Whether creators' `http://` URLs are fetched. */
  readonly allowHttp: boolean
  readonly gateways: Gateways
}

/** Tries to read a URI's document once at each place where it may be. Never rejects. */
export type Attempt = (work: Pick<MetadataWork, 'uri'>, signal: AbortSignal) => Promise<Attempted>

interface AttemptOptions {
  readonly settings: MetadataSettings
  readonly outbound: Outbound
  readonly logger: Logger
  /** Monotonic milliseconds. */
  readonly now: () => number
}

const UNREACHABLE_MS = 30_000
/** The longest pause of a creator's host. A creator who controls one address of a large host must not pause it for others. */
const MAX_CREATOR_PAUSE_MS = 60_000
/** The most paused hosts that are kept. The pause that was set first is forgotten. */
const MAX_PAUSED_HOSTS = 1_000

/** Creates the one `Attempt` of a process, whose attempts share the pauses of hosts. */
export function createAttempt({ settings, outbound, logger, now }: AttemptOptions): Attempt {
  const { allowHttp, gateways } = settings
  /** The ends of pauses by host, in monotonic milliseconds. */
  const pausedUntilMs = new Map<string, number>()
  const pauseLeftMs = (location: Location) => Math.max(0, (pausedUntilMs.get(hostOf(location)) ?? 0) - now())

  const attemptAt = async (
    location: Location,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'read'; readonly document: TokenDocument } | Failure> => {
    const fetched = await fetchText(location, { outbound, allowHttp, signal })
    if (fetched.kind === 'failure') return fetched
    const document = readDocument(fetched.text, settings)
    return document === null ? failure('not_json') : { kind: 'read', document }
  }

  /** Pauses a host that asks for it or can't be reached. A slow one is not paused: a gateway may be searching for content. */
  const pauseAfter = (location: Location, { problem, retryAfterMs, afterRedirect }: Failure): void => {
    const { gateway } = location
    const forMs = Math.min(
      retryAfterMs ?? (problem === 'no_connection' ? UNREACHABLE_MS : 0),
      gateway === null ? MAX_CREATOR_PAUSE_MS : MAX_PAUSE_MS,
    )
    if (afterRedirect || forMs === 0) return
    setNewest(pausedUntilMs, hostOf(location), now() + forMs, MAX_PAUSED_HOSTS)
    if (gateway !== null) logger.warn({ gateway, problem, pausedForMs: forMs }, 'metadata gateway paused')
  }

  const attemptAll = async (locations: readonly Location[], signal: AbortSignal): Promise<Attempted> => {
    const failures: Failure[] = []
    for (const location of locations) {
      if (pauseLeftMs(location) > 0) continue
      const result = await attemptAt(location, signal)
      if (result.kind === 'read') return result
      failures.push(result)
      pauseAfter(location, result)
    }
    if (failures.length === 0) return { kind: 'paused', forMs: Math.min(...locations.map(pauseLeftMs)) }
    // A temporary failure decides, since the document may still be at that place.
    const decisive = failures.find(isTemporary) ?? failures.at(-1)
    return { kind: 'failed', failure: decisive ?? failure('no_connection') }
  }

  return async ({ uri }, signal) => {
    const parsed = parseMetadataUri(uri)
    switch (parsed.kind) {
      case 'none':
        return { kind: 'failed', failure: failure(parsed.problem) }
      case 'text': {
        const document = readDocument(parsed.text, settings)
        return document === null ? { kind: 'failed', failure: failure('malformed') } : { kind: 'read', document }
      }
      case 'ipfs':
      case 'arweave':
      case 'web': {
        const by = disabledBy(parsed, settings)
        return by === null ? attemptAll(locate(parsed, gateways), signal) : { kind: 'disabled', by }
      }
    }
  }
}

function disabledBy(uri: MetadataUri, { fetch, allowHttp }: MetadataSettings): 'fetch_off' | 'http_off' | null {
  if (!fetch) return 'fetch_off'
  return uri.kind === 'web' && uri.url.protocol === 'http:' && !allowHttp ? 'http_off' : null
}

/** The key of a location's pause. A gateway's host is paused apart from the same host in creators' URLs. */
function hostOf({ url, gateway }: Location): string {
  return gateway === null ? url.host : `gateway ${url.host}`
}
