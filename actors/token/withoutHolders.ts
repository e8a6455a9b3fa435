/** The ends of the list of holders. They can't be inside a JSON string, where quotes are escaped, and a token has no field `holders`. */
const OPENING = ',"holders":['
const CLOSING = '],"reason":'

/** Removes the holders from the beginning of an encoded update. The result fits into a message whenever the update did. */
export function withoutHolders(update: Uint8Array): Uint8Array {
  const bytes = Buffer.from(update.buffer, update.byteOffset, update.byteLength)
  const begin = bytes.indexOf(OPENING) + OPENING.length
  return Buffer.concat([bytes.subarray(0, begin), bytes.subarray(bytes.lastIndexOf(CLOSING))])
}
