import { TEXT_LIMITS } from './text.ts'

/**
 * A metadata document with the image that the token's contract names beside it, in place of its own. Metadata that is no JSON object, or
 * would be longer than the limit, stays as it is.
 */
export function withImage(metadata: string | null, image: string | null, limit: number = TEXT_LIMITS.metadataUri): string | null {
  if (image === null || (metadata ?? '').length > limit) return metadata
  const text = (metadata ?? '').trim()
  const combined = combine(text === '' ? '{}' : text, image)
  return combined === null || combined.length > limit ? metadata : combined
}

/** `null`: the text is no object, or too deeply nested to be written again. */
function combine(metadata: string, image: string): string | null {
  if (!metadata.startsWith('{')) return null
  try {
    return JSON.stringify({ ...(JSON.parse(metadata) as object), image })
  } catch {
    return null
  }
}
