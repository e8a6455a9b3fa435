import type { Subscription } from '#actors/subscription.ts'
import type { Frame } from '#actors/token/frame.ts'

/** A subscription that only counts frames and keeps the newest. */
export class CountingSubscription implements Subscription {
  readonly transport = 'webSocket'
  readonly lagging = false
  readonly client = this
  answers = 0
  updates = 0
  newest: Frame | null = null

  subscribed(): void {
    this.answers++
  }

  holds(): void {}

  snapshot(frame: Frame): void {
    this.newest = frame
  }

  update(frame: Frame): boolean {
    this.updates++
    this.newest = frame
    return false
  }
}
