import type { ComponentChildren } from 'preact'

interface NoticeProps {
  readonly title: string
  readonly children?: ComponentChildren
  readonly action?: { readonly text: string; readonly run: () => void }
  /** Whether it is said at once to who can't see it. */
  readonly urgent?: boolean
  /** Whether it is all that its view has, and therefore the view's heading. */
  readonly heading?: boolean
}

/** What stands where there is nothing to show. */
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
