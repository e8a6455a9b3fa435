/** The content of a log does not fit the event that its first topic names. */
export class MalformedLogError extends Error {}

/** The result of reading a log, or `null` when the log is malformed. Only for reads beside `decodeEach`, which reports such logs. */
export function unlessMalformed<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MalformedLogError)) throw error
    return null
  }
}
