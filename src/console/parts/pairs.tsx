import type { ComponentChildren } from 'preact'

/** Names and values in two columns. */
export function Pairs({ children }: { readonly children: ComponentChildren }) {
  return <dl class="pairs">{children}</dl>
}

interface PairProps {
  readonly name: string
  readonly title?: string
  /** Takes a full line, for long values. */
  readonly wide?: boolean
  readonly children: ComponentChildren
}

export function Pair({ name, title, wide = false, children }: PairProps) {
  return (
    <div title={title} class={wide ? 'wide' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
