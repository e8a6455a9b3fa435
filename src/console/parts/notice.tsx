import type { ComponentChildren } from 'preact'

interface NoticeProps {
  readonly title: string
  readonly children?: ComponentChildren
  readonly action?: { readonly text: string; readonly run: () => void }
  /** Whether screen readers announce it at once. */
  readonly urgent?: boolean
  /** Whether its title is the heading of the view. */
  readonly heading?: boolean
}

/** Shown where there is nothing else to show. */
export function Notice({ title, children, action, urgent = false, heading = false }: NoticeProps) {
  return (
    <div class="notice" role={urgent ? 'alert' : 'status'}>
      {heading ? <h1>{title}</h1> : <strong>{title}</strong>}
      {children === undefined ? null : <p>{children}</p>}
      {action === undefined ? null : (
        <button type="button" class="button" onClick={action.run}>
          {action.text}
        </button>
      )}
    </div>
  )
}
