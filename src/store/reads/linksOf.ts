import type { TokenLink } from '#domain/metadata.ts'

/** Parses the links of a token's row, which are in the order of the metadata. */
export function linksOf(text: string | null): readonly TokenLink[] {
  return text === null ? [] : (JSON.parse(text) as TokenLink[]).map(({ kind, url }) => ({ kind, url }))
}
