import { messageOf, TokenwireError } from '#errors'
import { databaseCause } from './databaseCause.ts'
import { databaseFault, isOfDatabase } from './databaseErrors.ts'

export type DatabaseSetting = 'DATABASE_URL' | 'DATABASE_READ_URL' | 'LOGS_FROM'

export interface NamedDatabase {
  readonly url: string
  /** The setting that has the URL. */
  readonly setting: DatabaseSetting
}

/**
 * Why a database can't be used at the start, as an error that names the setting to change, with host and database but without the password:
 * `config_invalid` for what has to be changed first, retryable `database_unavailable` for what may pass.
 */
export function startError(error: unknown, { url, setting }: NamedDatabase): TokenwireError {
  if (error instanceof TokenwireError) return error
  const { host, pathname } = new URL(url)
  const place = `${setting}: at ${host}, database "${decodeURIComponent(pathname.slice(1))}"`
  const cause = databaseCause(error)
  if (cause === null) return new TokenwireError('config_invalid', `${place}: ${reason(error)}`, { cause: error })
  const isRefused = ['refused', 'defect'].includes(databaseFault(error))
  const sentence = `${place}: ${cause.full.replaceAll('DATABASE_URL', setting)}`
  return new TokenwireError(isRefused ? 'config_invalid' : 'database_unavailable', sentence, { retryable: !isRefused, cause: error })
}

/** As `startError`, but a defect of this code stays as it is, with its stack. */
export function toStartError(error: unknown, database: NamedDatabase): unknown {
  return isOfDatabase(error) ? startError(error, database) : error
}

function reason(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  return messageOf(first)
}
