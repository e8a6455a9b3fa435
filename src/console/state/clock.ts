import { signal } from '@preact/signals'

/** The current time in steps of a second and of a minute. Ages in minutes use the second one, so that they render once a minute. */
export const secondClock = signal(Date.now())
export const minuteClock = signal(Date.now())

/** To be called once. */
export function startClocks(): void {
  let minute = Math.floor(Date.now() / 60_000)
  setInterval(() => {
    if (document.hidden) return
    const now = Date.now()
    secondClock.value = now
    if (Math.floor(now / 60_000) !== minute) {
      minute = Math.floor(now / 60_000)
      minuteClock.value = now
    }
  }, 1_000)
}
