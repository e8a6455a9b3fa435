/** Of one actor, in bytes of JavaScript heap; frames hold their bytes outside of it, which are in `frameBytes`. */
export interface ActorBytes {
  /** Live, with one subscriber and nobody's frame. */
  readonly watched: number
  /** The frame of 1.7 KB that its subscriber was sent, and the update that it was made of. */
  readonly frame: number
  readonly frameBytes: number
  /** Nobody watches it any more, and it is not gone yet. */
  readonly idle: number
  /** What is left when it is gone. */
  readonly passivated: number
}

export interface ActorCalls {
  measure(options: { readonly actors: number }): Promise<ActorBytes>
}
