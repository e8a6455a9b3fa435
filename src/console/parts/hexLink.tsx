import { shortHex } from '#console/format/text.ts'
import { settings } from '#console/state/session.ts'
import { Copy } from './copy.tsx'
import { OutIcon } from './icons.tsx'

interface HexProps {
  readonly hex: string
  /** What the hex text is, for screen readers: "creator". */
  readonly of: string
  /** Path of the explorer's page. */
  readonly kind: 'address' | 'tx' | 'token' | 'block'
  readonly text?: string
  readonly copy?: boolean
}

/** A shortened address or hash, with a link to the explorer when one is configured. */
export function HexLink({ hex, of, kind, text = shortHex(hex), copy = false }: HexProps) {
  const { explorerUrl } = settings.value
  return (
    <span class="hex nowrap">
      {explorerUrl === null ? (
        <span class="mono" title={hex}>
          {text}
        </span>
      ) : (
        <a class="mono" href={`${explorerUrl}/${kind}/${hex}`} title={hex} target="_blank" rel="noreferrer noopener">
          {text}
          <span class="sr-only">, {of} in the explorer, opens a new tab</span>
          {copy ? <OutIcon /> : null}
        </a>
      )}
      {copy ? <Copy text={hex} of={of} /> : null}
    </span>
  )
}

/** An icon in place of an address or hash: a link to the explorer, or a copy button when none is configured. */
export function HexIconLink({ hex, of, kind }: Pick<HexProps, 'hex' | 'of' | 'kind'>) {
  const { explorerUrl } = settings.value
  if (explorerUrl === null) return <Copy text={hex} of={of} />
  return (
    <a class="copy" href={`${explorerUrl}/${kind}/${hex}`} title={hex} target="_blank" rel="noreferrer noopener">
      <OutIcon />
      <span class="sr-only">
        {of} {shortHex(hex)} in the explorer, opens a new tab
      </span>
    </a>
  )
}
