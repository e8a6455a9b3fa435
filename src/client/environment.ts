/** What a browser tells of the network and of whether anybody looks; nothing of it exists elsewhere. */
interface Page {
  readonly addEventListener?: (type: string, listener: () => void) => void
  readonly removeEventListener?: (type: string, listener: () => void) => void
  readonly document?: Target & { readonly visibilityState: string }
}

interface Target {
  readonly addEventListener: (type: string, listener: () => void) => void
  readonly removeEventListener: (type: string, listener: () => void) => void
}

/**
 * Calls back when it is worth finding out at once how things are: the network came or went, or somebody looks at the page again, whose timers
 * and sockets may have slept. Returns how to stop that.
 */
export function onWake(wake: () => void): () => void {
  const page = globalThis as Page
  const { document } = page
  const seen = () => {
    if (!isHidden()) wake()
  }
  page.addEventListener?.('online', wake)
  page.addEventListener?.('offline', wake)
  document?.addEventListener('visibilitychange', seen)
  return () => {
    page.removeEventListener?.('online', wake)
    page.removeEventListener?.('offline', wake)
    document?.removeEventListener('visibilitychange', seen)
  }
}

export function isHidden(): boolean {
  return (globalThis as Page).document?.visibilityState === 'hidden'
}
