/** A browser's events about the network and the page. Other platforms have none of this. */
interface Page {
  readonly addEventListener?: Listen
  readonly document?: { readonly visibilityState: string; readonly addEventListener: Listen }
}

type Listen = (type: string, listener: () => void, options: { readonly signal: AbortSignal }) => void

/**
 * Calls back when the network comes or goes and when the page becomes visible, until the signal aborts: timers and sockets may have slept,
 * so connections are checked at once.
 */
export function onWake(wake: () => void, signal: AbortSignal): void {
  const page = globalThis as Page
  page.addEventListener?.('online', wake, { signal })
  page.addEventListener?.('offline', wake, { signal })
  page.document?.addEventListener('visibilitychange', () => isHidden() || wake(), { signal })
}

export function isHidden(): boolean {
  return (globalThis as Page).document?.visibilityState === 'hidden'
}
