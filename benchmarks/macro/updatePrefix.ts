/*
 * What the load reads of a message without parsing it as JSON, which would cost more than receiving it does and make the load the
 * bottleneck: `{"type":"token.update","sequence":1795000000123,`. The first copy of each update is parsed and checked in full, the others are
 * compared with it byte by byte.
 */

const PREFIX = Buffer.from('{"type":"token.update","sequence":')
const DIGITS = 13
const COMMA = 0x2c
const ZERO = 0x30

/** The sequence of an update; `null`: it is another message, or does not begin as updates do. */
export function sequenceOf(message: Buffer): number | null {
  const end = PREFIX.length + DIGITS
  if (message.length <= end || message[end] !== COMMA || message.compare(PREFIX, 0, PREFIX.length, 0, PREFIX.length) !== 0) return null
  let sequence = 0
  for (let at = PREFIX.length; at < end; at++) sequence = sequence * 10 + ((message[at] ?? 0) - ZERO)
  return sequence
}
