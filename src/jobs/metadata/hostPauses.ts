/** Bounds memory. The pause that was set first is forgotten. */
const MOST_HOSTS = 1_000

/** Hosts that get no requests for a while. */
export interface HostPauses {
  pause(host: string, forMs: number): void
  /** Milliseconds until the host may get a request; 0: now. */
  leftMs(host: string): number
}

/** @param now monotonic milliseconds */
export function createHostPauses(now: () => number): HostPauses {
  const untilMs = new Map<string, number>()
  return {
    pause: (host, forMs) => {
      untilMs.delete(host)
      untilMs.set(host, now() + forMs)
      const [oldest] = untilMs.keys()
      if (oldest !== undefined && untilMs.size > MOST_HOSTS) untilMs.delete(oldest)
    },
    leftMs: host => Math.max(0, (untilMs.get(host) ?? 0) - now()),
  }
}
