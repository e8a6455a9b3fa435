import { shortHex } from '#console/format/text.ts'
import { hrefOf } from '#console/state/route.ts'

interface WalletLinkProps {
  readonly address: string
  /** Whose wallet it is, for screen readers: "maker". */
  readonly of: string
}

/** A shortened address that leads to its wallet's page. */
export function WalletLink({ address, of }: WalletLinkProps) {
  return (
    <a class="mono nowrap" href={hrefOf({ view: 'wallet', address })} title={address}>
      {shortHex(address)}
      <span class="sr-only">, wallet of the {of}</span>
    </a>
  )
}
