import { useLayoutEffect, useRef } from 'preact/hooks'
import { displayText } from '#console/format/text.ts'

const HUES = 12

interface AvatarProps {
  readonly address: string
  readonly symbol: string | null
  readonly large?: boolean
}

/** Letters on a colour derived from the address. Images of tokens are on servers of strangers, which would see every visitor. */
export function Avatar({ address, symbol, large = false }: AvatarProps) {
  const hue = (Number.parseInt(address.slice(-4), 16) % HUES) * (360 / HUES)
  const element = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => element.current?.style.setProperty('--hue', String(hue)), [hue])
  const letters = Array.from(displayText(symbol) ?? '?')
    .slice(0, 2)
    .join('')
  return (
    <span ref={element} class={large ? 'avatar large' : 'avatar'} aria-hidden="true">
      {letters}
    </span>
  )
}
