import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLinesOf } from '#store/exports/csvLines.ts'
import { jsonLinesOf } from '#store/exports/jsonLines.ts'
import type { ColumnKind } from '#store/views/view.ts'
import { EXPORTED } from '#store/views/views.ts'
import { copyOf, type Field, inChunks } from '#test/support/copiedBytes.ts'

const viewOf = (kinds: Readonly<Record<string, ColumnKind>>, absent = {}) => ({
  ...EXPORTED.trades,
  columns: Object.entries(kinds).map(([name, kind]) => ({ name, kind, sql: '' })),
  absent,
})

const linesOf = (encode: ReturnType<typeof csvLinesOf>, rows: readonly (readonly Field[])[], ...cuts: readonly number[]) =>
  text(encode(Readable.from([inChunks(copyOf(rows), ...cuts)])))

const ALL = viewOf({
  text: 'text',
  'in.bytes': 'bytes',
  'in.decimal': 'decimal',
  'in.block': 'block',
  count: 'count',
  seconds: 'seconds',
  number: 'number',
  time: 'time',
  timeMs: 'timeMs',
  json: 'json',
})
const ROW: readonly Field[] = [
  'a,"b"\n\\',
  Buffer.from([0, 0xab, 0x7f]),
  '1.50',
  12n,
  -7n,
  1_700_000_000n,
  1e-7,
  0n,
  1_700_000_000_123n,
  '[{"a" : 1}]',
]
const NULLS = ROW.map(() => null)

test('a line of JSON has the quotes, the nesting and the escapes of REST', async () => {
  expect(await linesOf(jsonLinesOf(ALL), [ROW, NULLS])).toBe(
    String.raw`{"text":"a,\"b\"\n\\","in":{"bytes":"0x00ab7f","decimal":"1.50","block":"12"},"count":-7,"seconds":1700000000,"number":1e-7,"time":"1970-01-01T00:00:00.000Z","timeMs":"2023-11-14T22:13:20.123Z","json":[{"a" : 1}]}
{"text":null,"in":{"bytes":null,"decimal":null,"block":null},"count":null,"seconds":null,"number":null,"time":null,"timeMs":null,"json":null}
`,
  )
})

test('CSV quotes what has a comma, a quote or the end of a line, and tells an empty text from none', async () => {
  const csv = await linesOf(csvLinesOf(ALL), [ROW, NULLS, ['', ...NULLS.slice(1)]])
  expect(csv).toBe(
    String.raw`text,in.bytes,in.decimal,in.block,count,seconds,number,time,timeMs,json
"a,""b""
\",0x00ab7f,1.50,12,-7,1700000000,1e-7,1970-01-01T00:00:00.000Z,2023-11-14T22:13:20.123Z,"[{""a"" : 1}]"
,,,,,,,,,
"",,,,,,,,,
`,
  )
  expect(await linesOf(csvLinesOf(ALL), [])).toBe(`${csv.split('\n')[0]}\n`)
  expect(await linesOf(csvLinesOf(viewOf({ text: 'text' })), [['a\rb']])).toBe('text\n"a\rb"\n')
})

test('an object is null where the field after the columns says so', async () => {
  const view = viewOf({ 'pool.type': 'text', 'pool.fee': 'count' }, { pool: 'condition' })
  const lines = await linesOf(jsonLinesOf(view), [
    [null, null, Buffer.from([1])],
    [null, null, Buffer.from([0])],
  ])
  expect(lines).toBe('{"pool":null}\n{"pool":{"type":null,"fee":null}}\n')
})

test('every text and integer comes back, wherever the bytes are cut', async () => {
  const encode = jsonLinesOf(viewOf({ text: 'text', block: 'block' }))
  const unit = fc.oneof(fc.constantFrom('"', '\\', '\n', '\0', '\u007f', 'é', '😀'), fc.string({ unit: 'binary', maxLength: 60 }))
  const row = fc.tuple(fc.string({ unit, maxLength: 90 }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 5 }), fc.nat(), async (rows, cut) => {
      const lines = await linesOf(encode, rows, cut % (copyOf(rows).length + 1))
      const read = lines
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line) as object)
      expect(read).toEqual(rows.map(([of, block]) => ({ text: of, block: String(block) })))
    }),
  )
})
