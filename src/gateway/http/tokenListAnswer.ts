import type { Token } from '#domain/token.ts'
import { withUsd } from '#domain/usd.ts'
import { type Answer, jsonTextAnswer } from '#gateway/http/answer.ts'
import type { ListBody } from '#gateway/http/cursor.ts'

/** Each token's JSON in UTF-8. Lists share the token object while the token does not change. */
const encoded = new WeakMap<Token, { readonly ethUsd: string | null; readonly json: Buffer }>()

const HEAD = Buffer.from('{"data":[')
const COMMA = Buffer.from(',')

/** A list of tokens with their values in USD. Each token is encoded once per price, and a list copies its bytes. */
export function tokenListAnswer({ data, ...page }: ListBody<Token>, ethUsd: string | null): Answer {
  const rows = data.flatMap((token, index) => (index === 0 ? [encode(token, ethUsd)] : [COMMA, encode(token, ethUsd)]))
  return jsonTextAnswer(Buffer.concat([HEAD, ...rows, Buffer.from(`],${JSON.stringify(page).slice(1)}`)]))
}

function encode(token: Token, ethUsd: string | null): Buffer {
  const known = encoded.get(token)
  if (known?.ethUsd === ethUsd) return known.json
  const json = Buffer.from(JSON.stringify(withUsd(token, ethUsd)))
  encoded.set(token, { ethUsd, json })
  return json
}
