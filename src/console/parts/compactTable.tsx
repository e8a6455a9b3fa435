import type { ComponentChildren } from 'preact'

/** A column of a table: its name, and how its cells are: `text` begins at the left, `wide` is left out where there is no room for it. */
export interface Column {
  readonly name: string
  readonly text?: boolean
  readonly wide?: boolean
  /** What stands in its head instead of its name. */
  readonly head?: ComponentChildren
  readonly class?: string
  /** Whether the rows are in its order, the largest first. */
  readonly isSorted?: boolean
}

interface CompactTableProps {
  readonly columns: readonly Column[]
  /** The rows. */
  readonly children: ComponentChildren
  /** Given: the table scrolls by itself, and this is what it holds. */
  readonly label?: string
  /** Names the scrolling table for styles. */
  readonly name?: string
  readonly testId?: string
}

/** A dense table with a head that stays in sight. */
export function CompactTable({ columns, children, label, name = '', testId }: CompactTableProps) {
  const table = (
    <table class="data compact">
      <thead>
        <tr>
          {columns.map(column => (
            <th key={column.name} scope="col" class={classOf(column)} aria-sort={column.isSorted ? 'descending' : undefined}>
              {column.head ?? column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody data-testid={testId}>{children}</tbody>
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

const classOf = ({ text, wide, class: own }: Column) =>
  [text ? 'text' : '', wide ? 'wide-only' : '', own ?? ''].join(' ').trim() || undefined
