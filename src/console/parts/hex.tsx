import { shortHex } from '#console/format/text.ts'
import { settings } from '#console/state/session.ts'
import { Copy } from './copy.tsx'
import { OutIcon } from './icons.tsx'

interface HexProps {
  readonly hex: string
  /** What it is: "creator". */
  readonly of: string
  /** What an explorer calls it. */
  readonly kind: 'address' | 'tx' | 'token' | 'block'
  readonly text?: string
  readonly copy?: boolean
}

/** An address or hash, short, with its link to the explorer where there is one. */
export function Hex({ hex, of, kind, text = shortHex(hex), copy = false }: HexProps) {
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

/** The way to an address or hash where there is no room for it: to the explorer, or to the clipboard where there is none. */
export function HexWay({ hex, of, kind }: Pick<HexProps, 'hex' | 'of' | 'kind'>) {
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
