import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useRovingFocus } from './rovingFocus.ts'

/** A column of a table. `text` aligns it to the left, `wide` hides it on narrow screens. */
export interface TableColumn {
  readonly name: string
  readonly text?: boolean
  readonly wide?: boolean
  /** Shown in the header instead of the name. */
  readonly head?: ComponentChildren
  readonly class?: string
  /** Whether the rows are sorted by this column, largest first. */
  readonly isSorted?: boolean
}

interface CompactTableProps {
  readonly columns: readonly TableColumn[]
  /** The table rows. */
  readonly children: ComponentChildren
  /** Makes the table scrollable, and is its accessible name. */
  readonly label?: string
  /** CSS class of the scrollable table. */
  readonly name?: string
  readonly testId?: string
}

/** A dense table with a sticky header, whose links and buttons are one tab stop. */
export function CompactTable({ columns, children, label, name = '', testId }: CompactTableProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  useRovingFocus(body)
  const table = (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys move between its links and buttons
    <table class="data compact" role="grid">
      <thead>
        <tr>
          {columns.map(column => (
            <th key={column.name} scope="col" class={classOf(column)} aria-sort={column.isSorted ? 'descending' : undefined}>
              {column.head ?? column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body} data-testid={testId}>
        {children}
      </tbody>
    </table>
  )
  if (label === undefined) return table
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <div class={`scroll ${name}`} tabIndex={0} role="group" aria-label={label}>
      {table}
    </div>
  )
}

const classOf = ({ text, wide, class: own }: TableColumn) =>
  [text ? 'text' : '', wide ? 'wide-only' : '', own ?? ''].join(' ').trim() || undefined
