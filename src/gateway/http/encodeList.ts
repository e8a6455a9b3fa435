import { type Answer, jsonTextAnswer } from './answer.ts'
import type { ListBody } from './cursor.ts'

/** The JSON of each row in UTF-8. Reads give the same object for a row that has not changed. */
const encoded = new WeakMap<object, { readonly ethUsd: string | null; readonly json: Buffer }>()

const HEAD = Buffer.from('{"data":[')
const COMMA = Buffer.from(',')

/** A list in JSON. Each row is encoded once per price of ETH, and a list copies its bytes. */
export function encodeList({ data, ...page }: ListBody<unknown>, valued: (row: unknown) => unknown, ethUsd: string | null): Answer {
  const encode = (row: unknown): Buffer => {
    const known = encoded.get(row as object)
    if (known?.ethUsd === ethUsd) return known.json
    const json = Buffer.from(JSON.stringify(valued(row)))
    encoded.set(row as object, { ethUsd, json })
    return json
  }
  const rows = data.flatMap((row, index) => (index === 0 ? [encode(row)] : [COMMA, encode(row)]))
  return jsonTextAnswer(Buffer.concat([HEAD, ...rows, Buffer.from(`],${JSON.stringify(page).slice(1)}`)]))
}
