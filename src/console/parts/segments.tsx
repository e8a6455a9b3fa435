import { useId } from 'preact/hooks'

interface SegmentsProps<T extends string> {
  readonly label: string
  readonly options: Readonly<Record<T, string>>
  readonly value: T
  readonly onChange: (value: T) => void
  readonly small?: boolean
}

/** A choice between a few visible options: one tab stop, in which the arrow keys choose. */
export function Segments<T extends string>({ label, options, value, onChange, small = false }: SegmentsProps<T>) {
  const name = useId()
  return (
    <div class={small ? 'segments small' : 'segments'} role="radiogroup" aria-label={label}>
      {(Object.keys(options) as T[]).map(option => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          {options[option]}
        </label>
      ))}
    </div>
  )
}
