import type { Logger } from 'pino'
import type { MetadataWork, TokenDocument } from '#domain/metadata.ts'
import { isTemporary, MOST_SILENCE_MS } from './attemptPolicy.ts'
import { fetchText } from './fetchText.ts'
import { type Gateways, type Location, locate } from './gateways.ts'
import { HostPauses } from './hostPauses.ts'
import { type MetadataUri, parseMetadataUri } from './metadataUri.ts'
import type { Outbound } from './outbound.ts'
import { type Failure, failure } from './problem.ts'
import { readDocument } from './readDocument.ts'

export interface MetadataSettings {
  /** Whether anything is asked of anybody. What URIs hold in themselves is read all the same. */
  readonly fetch: boolean
  /** Whether creators' URLs may be `http`. */
  readonly allowHttp: boolean
  readonly gateways: Gateways
}

/** What came of trying to read a URI. */
export type Attempted =
  | { readonly kind: 'read'; readonly document: TokenDocument }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** Nobody was asked, since every host that could be wants to be left alone for so long. */
  | { readonly kind: 'paused'; readonly forMs: number }
  /** A setting stands in the way. */
  | { readonly kind: 'forgone'; readonly because: Forgone }

export type Forgone = 'fetch_off' | 'http_off'

export interface AttemptOptions {
  readonly settings: MetadataSettings
  readonly outbound: Outbound
  readonly logger: Logger
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** A host that does not answer is not asked for another document right away. */
const UNREACHABLE_MS = 30_000
const MOST_CREATOR_PAUSE_MS = 60_000

/** Tries to read a URI once, at every place where it may be. Never rejects. */
export type Attempt = (work: Pick<MetadataWork, 'uri'>, signal: AbortSignal) => Promise<Attempted>

/** @returns the one that all attempts of a process share: it remembers which hosts to leave alone */
export function createAttempt(options: AttemptOptions): Attempt {
  const { settings } = options
  const pauses = new HostPauses()
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
        const because = forgone(parsed, settings)
        if (because !== null) return { kind: 'forgone', because }
        return ask(locate(parsed, settings.gateways), pauses, options, signal)
      }
    }
  }
}

function forgone(uri: MetadataUri, { fetch, allowHttp }: MetadataSettings): Forgone | null {
  if (!fetch) return 'fetch_off'
  return uri.kind === 'web' && uri.url.protocol === 'http:' && !allowHttp ? 'http_off' : null
}

async function ask(locations: readonly Location[], pauses: HostPauses, options: AttemptOptions, signal: AbortSignal): Promise<Attempted> {
  const { now } = options
  const failures: Failure[] = []
  let soonestMs = Number.POSITIVE_INFINITY
  for (const location of locations) {
    const leftMs = pauses.leftMs(nameOf(location), now())
    if (leftMs > 0) {
      soonestMs = Math.min(soonestMs, leftMs)
      continue
    }
    const outcome = await askOne(location, options, signal)
    if (outcome.kind === 'read') return outcome
    failures.push(outcome.failure)
    notePause(location, outcome.failure, pauses, options)
  }
  if (failures.length === 0) return { kind: 'paused', forMs: soonestMs }
  return { kind: 'failed', failure: worthMost(failures) }
}

type Answer = Extract<Attempted, { readonly kind: 'read' | 'failed' }>

async function askOne(location: Location, { settings, outbound }: AttemptOptions, signal: AbortSignal): Promise<Answer> {
  const fetched = await fetchText(location, { outbound, allowHttp: settings.allowHttp, signal })
  if (!fetched.ok) return { kind: 'failed', failure: fetched }
  const document = readDocument(fetched.text, settings)
  return document === null ? { kind: 'failed', failure: failure('not_json') } : { kind: 'read', document }
}

/** A failure that may pass says least against the document, and decides how soon it is tried again. */
function worthMost(failures: readonly Failure[]): Failure {
  return failures.find(({ problem }) => isTemporary(problem)) ?? failures.at(-1) ?? failure('no_connection')
}

/**
 * Hosts that ask for it, or can't be reached, are left alone. Not those that are slow: gateways are for content that nobody has, and one document
 * of many on a host may be.
 */
function notePause(location: Location, failure: Failure, pauses: HostPauses, { now, logger }: AttemptOptions): void {
  const { gateway } = location
  const { problem, retryAfterMs, elsewhere } = failure
  if (elsewhere) return
  // A creator may decide what one address of a large host answers, and must not silence all of it for long.
  const mostMs = gateway === null ? MOST_CREATOR_PAUSE_MS : MOST_SILENCE_MS
  const forMs = Math.min(retryAfterMs ?? (problem === 'no_connection' ? UNREACHABLE_MS : 0), mostMs)
  if (forMs === 0) return
  pauses.pause(nameOf(location), now() + forMs)
  if (gateway !== null) logger.warn({ gateway, problem, pausedForMs: forMs }, 'metadata gateway is left alone for a while')
}

/** A gateway and the same host in a creator's URL are two: what is asked of the one says little of the other. */
function nameOf({ url, gateway }: Location): string {
  return gateway === null ? url.host : `gateway ${url.host}`
}
