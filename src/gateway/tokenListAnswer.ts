import type { Token } from '#domain/token.ts'
import { withUsd } from '#domain/usd.ts'
import { type Answer, jsonTextAnswer } from './answer.ts'
import type { ListBody } from './cursor.ts'

/** By the token, which lists share while it does not change. */
const texts = new WeakMap<Token, { readonly ethUsd: string | null; readonly text: string }>()

/** A list of tokens with their values in USD. Each token is encoded once per price. */
export function tokenListAnswer({ data, ...page }: ListBody<Token>, ethUsd: string | null): Answer {
  const rows = data.map(token => tokenText(token, ethUsd)).join(',')
  return jsonTextAnswer(`{"data":[${rows}],${JSON.stringify(page).slice(1)}`)
}

function tokenText(token: Token, ethUsd: string | null): string {
  const known = texts.get(token)
  if (known?.ethUsd === ethUsd) return known.text
  const text = JSON.stringify(withUsd(token, ethUsd))
  texts.set(token, { ethUsd, text })
  return text
}
