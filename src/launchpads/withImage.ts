/**
 * A creator's metadata document with the image that the launchpad tells apart from it, where documents have theirs. The text stays as it is
 * when it is no JSON object (a URI), names an image itself, or is or would get longer than the limit.
 */
export function withImage(metadata: string, image: string, limit: number): string {
  if (image === '' || metadata.length > limit) return metadata
  const combined = combine(metadata.trim() === '' ? '{}' : metadata, image)
  return combined === null || combined.length > limit ? metadata : combined
}

/** `null`: there is nothing to combine it with. Objects that are too deep to be written again are no reason to stop indexing. */
function combine(metadata: string, image: string): string | null {
  if (!metadata.trimStart().startsWith('{')) return null
  try {
    const document = JSON.parse(metadata) as object
    return Object.hasOwn(document, 'image') ? null : JSON.stringify({ ...document, image })
  } catch {
    return null
  }
}
