/**
 * Whether a state may follow another: only a strictly larger sequence does. What is equal was seen already, by another way (a load and
 * the update of the same commit); what is smaller is an older state that arrives late.
 *
 * @param current `null`: nothing is known of the token, or it was not indexed, so that any state is news
 */
export function isNewer(offered: number, current: number | null): boolean {
  return current === null || offered > current
}

/** Whether a subscriber that says it holds a sequence (`null`: none) is owed the state of the current one. */
export function isOwed(current: number, held: number | null): boolean {
  return held === null || current > held
}
