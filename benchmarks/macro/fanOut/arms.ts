import type { ServerKind } from '#benchmarks/servers/feedServer.ts'

/** One thing that is compared. */
export interface ArmKind {
  readonly name: string
  readonly server: ServerKind | 'limit'
  readonly compress?: boolean
  /** The folder of another checkout, whose server is meant. */
  readonly checkout?: string
  readonly transport?: 'webSocket' | 'eventStream'
}

export const TOKENWIRE: ArmKind = { name: 'tokenwire', server: 'tokenwire' }
/** The same code in other processes: what differs from `tokenwire` is the machine's noise. */
export const TOKENWIRE_AGAIN: ArmKind = { name: 'tokenwire, again', server: 'tokenwire' }
export const TOKENWIRE_SSE: ArmKind = { name: 'tokenwire, SSE', server: 'tokenwire', transport: 'eventStream' }
export const UWS_SEND: ArmKind = { name: 'bare uWebSockets.js, send', server: 'uws-send' }
export const UWS_PUBLISH: ArmKind = { name: 'bare uWebSockets.js, publish', server: 'uws-publish' }
export const UWS_CORK: ArmKind = { name: 'bare uWebSockets.js, cork', server: 'uws-cork' }
export const WS: ArmKind = { name: 'ws', server: 'ws' }
export const SOCKET_IO: ArmKind = { name: 'socket.io', server: 'socket.io' }
/** Writes in C with nothing around them. */
export const LIMIT: ArmKind = { name: 'writes in C', server: 'limit' }

/** Why an arm can't be measured on this machine; `null`: it can. */
export function absenceOf(_arm: ArmKind): string | null {
  return null
}
