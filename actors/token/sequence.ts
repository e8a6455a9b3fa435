/**
 * Whether a state may follow another: only a strictly larger sequence does. What is equal was seen already, by another way (a load and
 * the update of the same commit); what is smaller is an older state that arrives late.
 *
 * @param current `null`: nothing is known of the token, or it was not indexed, so that any state is news
 * @param told the newest sequence that subscribers were told of, which an actor that replaces a failed one does not know itself: the state
 *   of that sequence is still news to it, an older one is not
 */
export function isNewer(offered: number, current: number | null, told: number | null): boolean {
  return (current === null || offered > current) && (told === null || offered >= told)
}

/** Whether a subscriber that says it holds a sequence (`null`: none) is owed the state of the current one. */
export function isOwed(current: number, held: number | null): boolean {
  return held === null || current > held
}
