/** A browser's events about the network and the page. Other platforms have none of this. */
interface BrowserPage {
  readonly addEventListener?: Listen
  readonly removeEventListener?: Listen
  readonly document?: { readonly visibilityState: string; readonly addEventListener?: Listen; readonly removeEventListener?: Listen }
}

type Listen = (type: string, listener: (event: PageEvent) => void) => void

interface PageEvent {
  /** Of `pageshow`: false when the page is new, and not back from the browser's back cache. */
  readonly persisted?: boolean
}

/**
 * Calls back when the network comes or goes, and when the page becomes visible, is no longer frozen, or is back from the back cache: timers
 * and sockets may have slept, so connections are checked at once. Returns a function that no longer listens.
 */
export function onWake(wake: () => void): () => void {
  const page = globalThis as BrowserPage
  const { document } = page
  const ofNetwork = (event: PageEvent) => event.persisted === false || wake()
  const ofPage = () => isHidden() || wake()
  for (const type of NETWORK_EVENTS) page.addEventListener?.(type, ofNetwork)
  for (const type of PAGE_EVENTS) document?.addEventListener?.(type, ofPage)
  return () => {
    for (const type of NETWORK_EVENTS) page.removeEventListener?.(type, ofNetwork)
    for (const type of PAGE_EVENTS) document?.removeEventListener?.(type, ofPage)
  }
}

const NETWORK_EVENTS = ['online', 'offline', 'pageshow']
const PAGE_EVENTS = ['resume', 'visibilitychange']

export function isHidden(): boolean {
  return (globalThis as BrowserPage).document?.visibilityState === 'hidden'
}
