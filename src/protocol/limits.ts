/** The largest WebSocket message in either direction, in bytes of UTF-8. */
export const MAX_MESSAGE_BYTES = 16_384

/** How many holders an update carries at most: the largest by balance. */
export const MAX_UPDATE_HOLDERS = 20
