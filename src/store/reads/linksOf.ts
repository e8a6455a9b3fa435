import type { TokenLink } from '#domain/metadata.ts'

/** The links of a token's row, in the order of the metadata. */
export function linksOf(text: string | null): readonly TokenLink[] {
  return text === null ? [] : (JSON.parse(text) as TokenLink[]).map(({ kind, url }) => ({ kind, url }))
}
