interface SegmentsProps<T extends string> {
  readonly label: string
  readonly options: Readonly<Record<T, string>>
  readonly value: T
  readonly onChange: (value: T) => void
  readonly small?: boolean
}

/** A choice between a few visible options. */
export function Segments<T extends string>({ label, options, value, onChange, small = false }: SegmentsProps<T>) {
  return (
    <div class={small ? 'segments small' : 'segments'} role="group" aria-label={label}>
      {(Object.keys(options) as T[]).map(option => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {options[option]}
        </button>
      ))}
    </div>
  )
}
