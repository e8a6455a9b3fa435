import { parseAbi, toEventSelector } from 'viem/utils'
import type { Hex } from '#domain/address.ts'
import { cleanText, TEXT_LIMITS } from '#domain/text.ts'
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
