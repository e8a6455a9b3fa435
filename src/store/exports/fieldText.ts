import type { ColumnKind } from '#store/views/view.ts'
import type { GrowingBuffer } from './growingBuffer.ts'

/** Writes a field as REST shows it, without quotes. */
export function writeFieldText(text: GrowingBuffer, kind: ColumnKind, bytes: Buffer, start: number, end: number): void {
  switch (kind) {
    case 'bytes':
      text.ascii('0x')
      text.hex(bytes, start, end)
      break
    case 'block':
    case 'count':
    case 'seconds':
      text.integer(readInteger(bytes, start))
      break
    case 'number':
      text.ascii(String(bytes.readDoubleBE(start)))
      break
    case 'time':
    case 'timeMs':
      text.ascii(new Date(Number(readInteger(bytes, start))).toISOString())
      break
    default:
      text.copy(bytes, start, end)
  }
}

/** Reads a 64-bit integer, as a number if it is a safe one, which is faster. */
export function readInteger(bytes: Buffer, start: number): number | bigint {
  const value = bytes.readInt32BE(start) * 2 ** 32 + bytes.readUInt32BE(start + 4)
  return Number.isSafeInteger(value) ? value : bytes.readBigInt64BE(start)
}
