import { messageOf, TokenwireError } from '#errors'
import { faultKindSentence, RpcError } from '#rpc/rpcFault.ts'
import { databaseCause } from '#store/connection/databaseCause.ts'

/** Why a step failed. */
export interface Cause {
  /** For clients: only words and numbers of this service, since a provider or a database may quote a request with its secrets. */
  readonly shown: string
  /** For operators, with the words of the provider or database; to be redacted before it leaves the thread. */
  readonly full: string
}

/** A cause without words of a provider or database. */
export function inOwnWords(sentence: string): Cause {
  return { shown: sentence, full: sentence }
}

/** Why a step failed, for clients and for operators. */
export function causeOf(error: unknown): Cause {
  const ofDatabase = databaseCause(error)
  if (ofDatabase !== null) return ofDatabase
  return { shown: shownOf(error), full: messageOf(error) }
}

function shownOf(error: unknown): string {
  if (error instanceof RpcError) return `${error.provider ?? 'rpc'}: ${faultKindSentence(error.fault)}`
  if (!(error instanceof TokenwireError)) return 'a step of indexing failed; the log has the error'
  switch (error.code) {
    case 'reorg_too_deep':
      // Counts and heights of the index itself.
      return error.message
    case 'database_unavailable':
      return 'the database can not be used'
    case 'database_taken':
      return 'another Tokenwire indexes into this database'
    case 'rpc_inconsistent':
      return 'what the chain shows does not follow what is indexed'
    default:
      return 'a step of indexing failed; the log has the error'
  }
}
