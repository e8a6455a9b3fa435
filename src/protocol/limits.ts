/** Size limit of a WebSocket message in either direction, in bytes of UTF-8. */
export const MAX_MESSAGE_BYTES = 16_384

/** Most holders in an update: the largest by balance. */
export const MAX_UPDATE_HOLDERS = 20
