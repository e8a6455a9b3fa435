import { displayText, shortHex } from '#console/format/text.ts'

interface TokenNameProps {
  readonly address: string
  readonly symbol: string | null
}

/** What a token calls itself, isolated, so that its direction of writing ends with it. */
export function Symbol({ address, symbol }: TokenNameProps) {
  return <bdi>{displayText(symbol, 16) ?? shortHex(address)}</bdi>
}
