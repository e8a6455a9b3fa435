import process from 'node:process'
import type { Logger } from 'pino'
import { isLogged } from '#async/logSampling.ts'
import type { Config } from '#config'
import type { HttpResponse, TemplatedApp } from '#gateway/uWebSockets.ts'
import { addressOfBytes, limitKey } from './clientAddress.ts'

/**
 * Descriptors reserved from clients: about 40 for the process itself, 25 for database connections, and the rest for providers, metadata,
 * files and a TLS renewal.
 */
const RESERVED_DESCRIPTORS = 160

/** The least limit of connections without a request per address: browsers open up to six per host in advance. */
const MIN_SILENT = 32

/** The number of sockets that clients get even if the limit of descriptors is no higher than the reserve. */
const MIN_SOCKETS = 16

/**
 * The open sockets of clients, for requests and WebSockets together. At the limit of descriptors, uWebSockets would try to accept again and
 * again, and no connection to the database could be opened.
 */
export interface Sockets {
  /** The most WebSockets and event streams. An eighth of the sockets is kept for requests. */
  readonly maxRealtime: number
  /** Counts the app's connections, and closes those past a limit as soon as they are accepted. */
  watch(app: TemplatedApp): void
  /** Counts a request. Returns whether its connection has to be closed after the answer. */
  requested(address: string): boolean
  /** To be called when a WebSocket has closed, which uWebSockets does not report to the filter. */
  webSocketClosed(): void
}

export interface SocketsOptions {
  /** The process's limit of file descriptors; `Infinity`: no limit is known. */
  readonly descriptors?: number
}

export function createSockets(
  config: Pick<Config, 'maxConnections' | 'maxConnectionsPerIp' | 'trustProxy'>,
  logger: Logger,
  { descriptors = descriptorLimit() }: SocketsOptions = {},
): Sockets {
  const limit = Math.max(descriptors - RESERVED_DESCRIPTORS, MIN_SOCKETS)
  const maxRealtime = Math.min(config.maxConnections, Math.floor((limit * 7) / 8))
  const maxSilent = Math.min(Math.max(config.maxConnectionsPerIp, MIN_SILENT), Math.ceil(limit / 4))
  const silent = createSilentCount(maxSilent)
  let open = 0
  let refused = 0
  if (maxRealtime < config.maxConnections) {
    logger.warn(
      { maxConnections: config.maxConnections, descriptors, accepted: maxRealtime },
      'MAX_CONNECTIONS is more than the limit of open files allows (ulimit -Hn, LimitNOFILE): fewer WebSockets and event streams are accepted',
    )
  }

  function opened(res: HttpResponse): void {
    open++
    const reason = open > limit ? 'as many sockets are open as the limit of open files allows' : reasonToRefuse(res)
    if (reason === null) return
    if (isLogged(++refused)) logger.warn({ open, limit, refused, reason }, 'a connection was refused')
    res.close()
  }

  /** A proxy's connections serve all of its clients, so its address has no limit of its own. */
  function reasonToRefuse(res: HttpResponse): string | null {
    if (config.trustProxy > 0) return null
    const key = limitKey(addressOfBytes(new Uint8Array(res.getRemoteAddress())))
    if (!silent.add(key)) return 'its address has too many that have sent no request yet'
    // The first request replaces this handler.
    res.onAborted(() => silent.remove(key))
    return null
  }

  return {
    maxRealtime,
    watch(app) {
      app.filter((res, change) => {
        if (change > 0) opened(res)
        else open--
      })
    },
    requested(address) {
      const key = limitKey(address)
      silent.remove(key)
      // While sockets are scarce, an idle connection must not keep a client out.
      return open > limit / 2 || silent.has(key)
    },
    webSocketClosed: () => void open--,
  }
}

/** The soft limit of file descriptors, which Node raises to the hard one when it starts; `Infinity`: no limit is known. */
function descriptorLimit(): number {
  const { userLimits } = process.report.getReport() as { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}

/**
 * Counts connections without a request, by address. uWebSockets does not say on which connection a request came, so any request counts as
 * the first one of some connection of its address. While others are silent, its own connection is closed after the answer, so that no
 * second request on it counts for another connection.
 */
function createSilentCount(most: number) {
  const counts = new Map<string, number>()
  return {
    has: (key: string) => counts.has(key),
    /** Returns false when the address has reached the limit. */
    add(key: string): boolean {
      const count = counts.get(key) ?? 0
      if (count >= most) return false
      counts.set(key, count + 1)
      return true
    },
    remove(key: string): void {
      const count = counts.get(key) ?? 0
      if (count > 1) counts.set(key, count - 1)
      else counts.delete(key)
    },
  }
}
