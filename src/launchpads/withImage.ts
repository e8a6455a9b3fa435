/**
 * A metadata document with the image that the launchpad's event gives separately. The text is unchanged when it is no JSON object (a URI),
 * has an image, or would be longer than the limit.
 */
export function withImage(metadata: string, image: string, limit: number): string {
  if (image === '' || metadata.length > limit) return metadata
  const combined = combine(metadata.trim() === '' ? '{}' : metadata, image)
  return combined === null || combined.length > limit ? metadata : combined
}

/** `null`: the text is no object without an image, or too deeply nested to be written again. */
function combine(metadata: string, image: string): string | null {
  if (!metadata.trimStart().startsWith('{')) return null
  try {
    const document = JSON.parse(metadata) as object
    return Object.hasOwn(document, 'image') ? null : JSON.stringify({ ...document, image })
  } catch {
    return null
  }
}
