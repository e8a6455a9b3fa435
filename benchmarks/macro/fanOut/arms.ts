import { hasOpenSsl } from '#benchmarks/load/compile.ts'
import { isInstalled } from '#benchmarks/servers/childServer.ts'
import type { ServerKind } from '#benchmarks/servers/feedServer.ts'
import { hasNchan } from '#benchmarks/servers/nchan.ts'

/** One of the compared servers. */
export interface ArmKind {
  readonly name: string
  readonly server: ServerKind | 'limit'
  readonly compress?: boolean
  /** The folder of the checkout whose server is started. */
  readonly checkout?: string
  readonly transport?: 'webSocket' | 'eventStream'
  readonly tls?: boolean
  /** The bytes per write of the writes in C. Default: a whole block. */
  readonly writeBytes?: number
}

export const TOKENWIRE: ArmKind = { name: 'tokenwire', server: 'tokenwire' }
/** The same code in other processes: its difference from `tokenwire` is the machine's noise. */
export const TOKENWIRE_AGAIN: ArmKind = { name: 'tokenwire, again', server: 'tokenwire' }
/** In gateway threads, to which another thread hands each block. */
export const TOKENWIRE_THREAD: ArmKind = { name: 'tokenwire, 1 gateway thread', server: 'tokenwire-threads-1' }
export const TOKENWIRE_THREADS: ArmKind = { name: 'tokenwire, 2 gateway threads', server: 'tokenwire-threads-2' }
export const TOKENWIRE_SSE: ArmKind = { name: 'tokenwire, SSE', server: 'tokenwire', transport: 'eventStream' }
export const UWS_SEND: ArmKind = { name: 'bare uWebSockets.js, send', server: 'uws-send' }
export const UWS_PUBLISH: ArmKind = { name: 'bare uWebSockets.js, publish', server: 'uws-publish' }
export const UWS_CORK: ArmKind = { name: 'bare uWebSockets.js, cork', server: 'uws-cork' }
export const WS: ArmKind = { name: 'ws', server: 'ws' }
export const SOCKET_IO: ArmKind = { name: 'socket.io', server: 'socket.io' }
/** Bare writes in C. */
export const LIMIT: ArmKind = { name: 'writes in C', server: 'limit' }
/** The same with the number of writes that uWebSockets.js needs, whose cork buffer is 16 KB. */
export const LIMIT_16_KB: ArmKind = { name: 'writes in C, one per 16 KB', server: 'limit', writeBytes: 16_384 }

export const TOKENWIRE_TLS: ArmKind = { ...TOKENWIRE, name: 'tokenwire, TLS', tls: true }
export const UWS_SEND_TLS: ArmKind = { ...UWS_SEND, name: 'bare uWebSockets.js, send, TLS', tls: true }
export const UWS_SEND_COMPRESSED: ArmKind = { ...UWS_SEND, name: 'bare uWebSockets.js, send, compressed', compress: true }
export const NATS: ArmKind = { name: 'nats-server', server: 'nats' }
export const NCHAN: ArmKind = { name: 'nginx with nchan', server: 'nchan' }

/** Why an arm can't be measured on this machine; `null` if it can. */
export function absenceOf({ server, tls = false }: ArmKind): string | null {
  if (tls && !hasOpenSsl()) return 'the load needs OpenSSL (on Debian: apt-get install libssl-dev)'
  if (server === 'nats' && !isInstalled('nats-server')) return 'not installed (on Debian: apt-get install nats-server)'
  if (server === 'nchan' && !(hasNchan() && isInstalled('nginx'))) return 'not installed (on Debian: apt-get install libnginx-mod-nchan)'
  return null
}
