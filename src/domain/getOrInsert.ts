/** The value of a key, which is made and stored where there is none: `Map.prototype.getOrInsertComputed` of ECMAScript 2026. */
export function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}
