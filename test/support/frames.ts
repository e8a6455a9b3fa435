import type { Frame } from '#actors/token/frame.ts'

/** A frame of these bytes, which are also its form without holders. */
export function frameOf(fields: Omit<Frame, 'withoutHolders'>): Frame {
  return {
    ...fields,
    get withoutHolders() {
      return this
    },
  }
}
