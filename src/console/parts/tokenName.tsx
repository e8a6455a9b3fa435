import { displayText, shortHex } from '#console/format/text.ts'

interface TokenNameProps {
  readonly address: string
  readonly symbol: string | null
}

/** A token's symbol, isolated so that its writing direction does not affect the text around it. */
export function Symbol({ address, symbol }: TokenNameProps) {
  return <bdi>{displayText(symbol, 16) ?? shortHex(address)}</bdi>
}
