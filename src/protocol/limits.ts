/** Size limit of a WebSocket message in either direction, in bytes of UTF-8. */
export const MAX_MESSAGE_BYTES = 16_384

/** Most holders in an update: the largest by balance. */
export const MAX_UPDATE_HOLDERS = 20

/** Most tokens that one message subscribes to. */
export const MAX_TOKENS_PER_MESSAGE = 100

/** The longest time that a client may ask for between two messages of a subscription, in ms. */
export const MAX_INTERVAL_MS = 60_000

/** Most subscriptions to channels that a connection may have. */
export const MAX_CHANNEL_SUBSCRIPTIONS = 20

/** Most different lists, and most different candles, that the connections of one client address may watch. */
export const MAX_WATCHED_PER_CLIENT = 100

/** Most rows of a list that is subscribed to, if its changes are not: they fit into one message. */
export const MAX_LIST_ROWS = 50

/** Most rows of a list whose changes are subscribed to. */
export const MAX_LONG_LIST_ROWS = 200

/** Most candles of a message: an hour of minutes. */
export const MAX_MESSAGE_CANDLES = 60

/** Longest `id` of a client's message, in UTF-16 units. */
export const MAX_MESSAGE_ID = 64
