import { hrefOf } from '#console/state/route.ts'
import { Avatar } from './avatar.tsx'
import { Symbol } from './tokenName.tsx'

interface SymbolLinkProps {
  readonly address: string
  readonly symbol: string | null
}

/** A token's symbol that leads to its page. */
export function SymbolLink({ address, symbol }: SymbolLinkProps) {
  return (
    <a class="token-cell" href={hrefOf({ view: 'token', address })} title={address}>
      <Avatar address={address} symbol={symbol} />
      <Symbol address={address} symbol={symbol} />
    </a>
  )
}
