/** Of one actor, in bytes of JavaScript heap. The bytes of frames are outside the heap, in `frameBytes`. */
export interface ActorBytes {
  /** Live, with one subscriber and without a frame. */
  readonly watched: number
  /** The frame of 1.7 KB that was sent to its subscriber, and the update that it was encoded from. */
  readonly frame: number
  readonly frameBytes: number
  /** Without subscribers, before it is passivated. */
  readonly idle: number
  /** What remains after it was passivated. */
  readonly passivated: number
}

export interface ActorCalls {
  measure(options: { readonly actors: number }): Promise<ActorBytes>
}
