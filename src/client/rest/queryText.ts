/** Lists become comma lists; parameters that are `undefined` are left out. */
export function queryText(query: object = {}): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined)
  return parameters.map(([name, value], index) => `${index === 0 ? '?' : '&'}${name}=${encoded(value)}`).join('')
}

/** As `URLSearchParams` does, which React Native has in part: half of a pair of surrogates becomes a replacement character. */
export function encoded(value: unknown): string {
  return encodeURIComponent(String(value).replace(/[\ud800-\udfff]/gu, '\ufffd'))
}
