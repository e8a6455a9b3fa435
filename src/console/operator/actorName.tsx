import { displayText, shortHex } from '#console/format/text.ts'

/** The token's symbol, where known, and its address: several tokens can have the same symbol. */
export function ActorName({ address, symbol }: { readonly address: string; readonly symbol: string | null }) {
  const name = displayText(symbol, 16)
  return (
    <>
      {name === null ? null : <bdi>{name} </bdi>}
      <span class="mono quiet">{shortHex(address)}</span>
    </>
  )
}
