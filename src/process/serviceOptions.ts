import type { Logger } from 'pino'
import type { Config } from '#config'
import type { TokenwireError } from '#errors'
import type { Redactor } from '#telemetry/redactor.ts'
import type { StartedThread } from '#worker/startIndexing.ts'

export interface ServiceOptions {
  readonly config: Config
  readonly redactor: Redactor
  readonly logger: Logger
  /** Aborts when a stop is requested, which interrupts a start. */
  readonly stopping: AbortSignal
  /** Called when the service can not go on. It is to be stopped then. */
  readonly onFailure: (error: TokenwireError) => void
  /** Called when a thread has ended by itself, with its error. It ends the process. */
  readonly onCrash: (error: unknown) => void
  /** The indexing thread. It has not opened the database yet. Closed by `stop`, and when the start fails. `null`: for a gateway. */
  readonly thread: StartedThread | null
}

/** What the start of a gateway, a standby or an indexer gets. */
export interface RoleOptions extends Omit<ServiceOptions, 'thread' | 'stopping'> {
  /** Registers how to stop something; called in the order of the starts. */
  readonly onStop: (stop: Stop) => void
  /** Ends the connections to the database when a stop takes too long. */
  readonly giveUp: AbortSignal
}

export interface StartedRole {
  readonly url: string
  /** Contains the password. */
  readonly databaseUrl: string
}

export type Stop = () => Promise<void> | void
