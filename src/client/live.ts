/* The public API of `tokenwire/client/live`. */
export type { LiveHandle, LiveListenerOptions, LiveMethod, LiveQueryOptions, OpenLiveMethod } from './follow.ts'
export type * from './generated/types.ts'
export { createLive } from './live/createLive.ts'
export type * from './live/liveTypes.ts'
