import { type CopiedRanges, copiedFields } from './copiedFields.ts'

const LINE_END = 0x0a

/** The only field of each row of COPYs in the binary format, each with the end of a line. */
export async function* copiedLines(ranges: CopiedRanges): AsyncGenerator<Buffer> {
  for await (const { bytes, places } of copiedFields(ranges, 1)) {
    let end = 0
    // In place: in front of each field are the 6 bytes that the format adds to it, so that a line never reaches the next one.
    for (let place = 0; place < places.length; place += 2) {
      end += bytes.copy(bytes, end, places[place], places[place + 1])
      bytes[end++] = LINE_END
    }
    yield bytes.subarray(0, end)
  }
}
