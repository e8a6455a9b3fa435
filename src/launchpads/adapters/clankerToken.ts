import { parseAbi, toEventSelector } from 'viem/utils'
import { type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { cleanLabel, cleanText, TEXT_LIMITS } from '#domain/text.ts'
import type { SourcedLog, TransactionLogs } from '#launchpads/adapter.ts'
import { eventPosition, type TokenEvent, type UpdatedFields } from '#launchpads/tokenEvent.ts'
import { addressTopic, addressWord, decodeEvent, wordsOf } from '#launchpads/words.ts'

/*
 * What the token of Clanker v3.1 and v4 reports itself: its admin, who may be somebody else than the recipients of fees, changes its image,
 * its metadata, or who the admin is.
 */

const [IMAGE, METADATA] = parseAbi(['event UpdateImage(string image)', 'event UpdateMetadata(string metadata)'])

const TOPICS = {
  image: toEventSelector(IMAGE),
  metadata: toEventSelector(METADATA),
  admin: toEventSelector('UpdateAdmin(address,address)'),
} as const

export const CLANKER_TOKEN_TOPICS: readonly Hex[] = Object.values(TOPICS)

/** @throws MalformedLogError */
export function decodeClankerToken({ log, source }: SourcedLog, transaction: TransactionLogs, launchpad: string): readonly TokenEvent[] {
  if (source.role !== 'token' || source.launchpad !== launchpad) return []
  const updated = (fields: UpdatedFields): readonly TokenEvent[] => [
    { ...eventPosition(log, transaction), token: source.token, kind: 'updated', fields },
  ]
  switch (log.topics[0]) {
    case TOPICS.image:
      return updated({ imageUri: cleanText(decodeEvent(IMAGE, log).image, TEXT_LIMITS.metadataUri) })
    case TOPICS.metadata:
      return updated({ metadataUri: cleanText(decodeEvent(METADATA, log).metadata, TEXT_LIMITS.metadataUri) })
    case TOPICS.admin:
      // The old admin comes first. Some versions of the token index both.
      return updated({ admin: log.topics.length > 1 ? addressTopic(log.topics, 2) : addressWord(wordsOf(log.data, 2)(1)) })
    default:
      return []
  }
}

/* What a launch says of the front end that made it, as it is stored: in lower case, so that a filter finds each spelling. */

/** Real contexts have some hundred characters. */
const MAX_CONTEXT = 8_192

/** The `interface` of Clanker's context, a JSON object; else its `platform`. `null`: it has neither. */
export function surfaceOfContext(context: string): string | null {
  const named = context.length > MAX_CONTEXT ? null : parsed(context)
  if (typeof named !== 'object' || named === null) return null
  const label = (text: unknown) => (typeof text === 'string' ? cleanLabel(text.toLowerCase(), TEXT_LIMITS.surface) : null)
  return label(Reflect.get(named, 'interface')) ?? label(Reflect.get(named, 'platform'))
}

/** The address of Zora's platform referrer; `null` for the zero address. */
export function surfaceOfReferrer(platformReferrer: string): string | null {
  const referrer = toAddress(platformReferrer)
  return referrer === ZERO_ADDRESS ? null : referrer
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Anyone may write anything there.
    return null
  }
}
