/** A number is a double, a bigint a 64-bit integer. */
export type Field = string | bigint | number | Uint8Array | null

/** As PostgreSQL writes rows of a COPY in the binary format. */
export function copyOf(rows: readonly (readonly Field[])[]): Buffer {
  const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
  return Buffer.concat([header, ...rows.flatMap(row => [int(2, row.length), ...row.flatMap(fieldOf)]), int(2, -1)])
}

function fieldOf(field: Field): readonly Uint8Array[] {
  if (field === null) return [int(4, -1)]
  const bytes = bytesOf(field)
  return [int(4, bytes.length), bytes]
}

function bytesOf(field: NonNullable<Field>): Uint8Array {
  if (typeof field === 'string') return Buffer.from(field)
  if (field instanceof Uint8Array) return field
  const bytes = Buffer.alloc(8)
  if (typeof field === 'bigint') bytes.writeBigInt64BE(field)
  else bytes.writeDoubleBE(field)
  return bytes
}

function int(size: number, value: number): Buffer {
  const bytes = Buffer.alloc(size)
  bytes.writeIntBE(value, 0, size)
  return bytes
}

/** One COPY, whose bytes come in parts. */
export async function* inChunks(bytes: Buffer, ...ends: readonly number[]): AsyncGenerator<Buffer> {
  let start = 0
  for (const end of [...ends, bytes.length]) {
    yield Buffer.from(bytes.subarray(start, end))
    start = end
  }
}
