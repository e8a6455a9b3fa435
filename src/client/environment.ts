/** What a browser tells of the network and of whether anybody looks; nothing of it exists elsewhere. */
interface Page {
  readonly addEventListener?: Listen
  readonly document?: { readonly visibilityState: string; readonly addEventListener: Listen }
}

type Listen = (type: string, listener: () => void, options: { readonly signal: AbortSignal }) => void

/**
 * Calls back when it is worth finding out at once how things are: the network came or went, or somebody looks at the page again, whose timers
 * and sockets may have slept.
 *
 * @param signal - ends that
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
