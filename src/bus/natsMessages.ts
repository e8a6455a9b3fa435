import type { Address } from '#domain/address.ts'
import type { AnnouncedCommit } from './pendingCommits.ts'

/*
 * What goes over NATS: of each commit first the state of every changed token, under a subject of its own, then the commit. Both are JSON.
 */

export interface CommitMessage extends AnnouncedCommit {
  /** Changes when the indexer starts anew. */
  readonly indexer: string
  /** One more each time: a gap is a lost message. */
  readonly count: number
  /** `null`: too many to name. */
  readonly changed: readonly Address[] | null
  readonly dropped: readonly Address[]
}

/** Below a server's default of 1 MB per message. */
export const MOST_NAMED = 10_000

export function commitSubject(chainId: number): string {
  return `tokenwire.${chainId}.commit`
}

export function tokenSubject(chainId: number, token: Address): string {
  return `tokenwire.${chainId}.token.${token}`
}
