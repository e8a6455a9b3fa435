/** A browser's events about the network and the page. Other platforms have none of this. */
interface BrowserPage {
  readonly addEventListener?: Listen
  readonly document?: { readonly visibilityState: string; readonly addEventListener: Listen }
}

type Listen = (type: string, listener: (event: PageEvent) => void, options: { readonly signal: AbortSignal }) => void

interface PageEvent {
  /** Of `pageshow`: false when the page is new, and not back from the browser's back cache. */
  readonly persisted?: boolean
}

/**
 * Calls back when the network comes or goes, and when the page becomes visible, is no longer frozen, or is back from the back cache, until
 * the signal aborts: timers and sockets may have slept, so connections are checked at once.
 */
export function onWake(wake: () => void, signal: AbortSignal): void {
  const page = globalThis as BrowserPage
  for (const type of ['online', 'offline', 'pageshow']) {
    page.addEventListener?.(type, event => event.persisted === false || wake(), { signal })
  }
  for (const type of ['resume', 'visibilitychange']) page.document?.addEventListener(type, () => isHidden() || wake(), { signal })
}

export function isHidden(): boolean {
  return (globalThis as BrowserPage).document?.visibilityState === 'hidden'
}
