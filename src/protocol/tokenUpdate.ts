import type { Wire } from '#resources/wire.ts'
import type { tokenDeltaSchema, tokenUpdateSchema } from './schemas/messages.ts'

/** A token's full state after a commit, as WebSocket and SSE send it. It replaces all earlier ones, so a client may miss some. */
export type TokenUpdate = Wire<typeof tokenUpdateSchema>

/** How a token's state differs from the state that the connection was sent last. */
export type TokenDelta = Wire<typeof tokenDeltaSchema>

/** The fields of an update that hold the token's state. The others depend on what the receiver was sent before. */
export type UpdatedState = Omit<TokenUpdate, 'trades' | 'replacedFrom'>
