import type { Config } from '#config'
import type { TokenDocument } from '#domain/metadata.ts'
import { cleanText, TEXT_LIMITS } from '#domain/text.ts'
import { toImageUrl } from './imageUrl.ts'
import { readLinks } from './links.ts'

const IMAGE_FIELDS = ['image', 'image_url', 'imageUrl', 'imageURI', 'imageUri', 'logoURI', 'logo', 'icon'] as const

/** The parts of a metadata document that are kept; invalid ones are left out. `null` when the text is no JSON object. */
export function readDocument(
  text: string,
  { gateways, allowHttp }: Pick<Config['metadata'], 'gateways' | 'allowHttp'>,
): TokenDocument | null {
  const document = parseObject(text)
  if (document === null) return null
  const { description } = document
  const images = IMAGE_FIELDS.map(name => document[name]).filter(value => typeof value === 'string')
  return {
    imageUrl: firstOf(images, image => toImageUrl(image, gateways, allowHttp)),
    description: typeof description === 'string' ? cleanText(description.trim(), TEXT_LIMITS.description) : null,
    links: readLinks(document),
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function firstOf<T, R>(values: readonly T[], read: (value: T) => R | null): R | null {
  for (const value of values) {
    const result = read(value)
    if (result !== null) return result
  }
  return null
}
