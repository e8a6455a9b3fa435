/* The public API of `tokenwire/client`. Types whose public name has another meaning in the server get that name only here. */
export type { Address, Hex } from '#domain/address.ts'
export type { PerWindow } from '#domain/windows.ts'
export {
  ClientError as TokenwireError,
  type ClientErrorCode as TokenwireErrorCode,
  type Result,
  unwrap,
} from './clientError.ts'
export { createTokenwire } from './createTokenwire.ts'
export type { ConnectionState } from './feed/connectionPool.ts'
export type { LiveHandle, LiveListenerOptions, LiveMethod } from './follow.ts'
export type * from './generated/types.ts'
export type { ClientClock as Clock, TokenwireOptions, WebSocketLike } from './options.ts'
export type { CallOptions, ListPage as Page } from './rest/calls.ts'
export { items } from './rest/calls.ts'
export type { Tokenwire } from './tokenwire.ts'
export type { Source, WatchedToken, WatchOptions } from './watch/watch.ts'
