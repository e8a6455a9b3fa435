import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { isLogged, pause } from '#async/pause.ts'
import { messageOf } from '#errors'
import { channelOfSchema } from './databaseSchema.ts'
import type { RawConnection } from './driver.ts'
import { createOrm } from './orm.ts'

export interface ListenerOptions {
  readonly url: string
  readonly channels: readonly string[]
  /** Whether the channels belong to the connection's schema (`channelOfSchema`) or to the whole database. */
  readonly scope: 'schema' | 'database'
  readonly logger: Logger
  /** Called when a connection has begun to listen. What was announced before may have been missed. */
  readonly onListening: () => void
  readonly onNotification: (channel: string, payload: string) => void
  /** Runs on the connection every `beatMs`. A beat that rejects, or takes longer than 5 s, ends the connection. */
  readonly beat: (session: Kysely<unknown>) => Promise<void>
  /** Default 2 s. */
  readonly beatMs?: number
}

const MAX_BEAT_MS = 5_000

export interface Listener {
  readonly isListening: boolean
  /** How many times it has begun to listen again. */
  readonly reconnects: number
  stop(): Promise<void>
}

/** Listens to a database's notifications on a connection of its own, and on another one when that is lost. */
export function createListener(options: ListenerOptions): Listener {
  const { channels, scope, logger, onListening, onNotification, beat, beatMs = 2_000 } = options
  const stopped = new AbortController()
  const { signal } = stopped
  let isListening = false
  let connections = 0
  let current: RawConnection | null = null
  /** The names in `channels` by their names in the database. */
  const heard = new Map<string, string>()
  const orm = createOrm(options.url, logger.child({}, { level: 'silent' }), {
    poolSize: 1,
    applicationName: 'tokenwire-listen',
    onConnection: connection => {
      current = connection
      connection.on('notification', ({ channel, payload = '' }) => onNotification(heard.get(channel) ?? channel, payload))
    },
  })

  const listenTo = async (session: Kysely<unknown>, channel: string): Promise<void> => {
    const named = scope === 'database' ? sql`${channel}` : channelOfSchema(channel)
    const { rows } = await sql<{ name: string }>`select ${named} as name`.execute(session)
    const name = rows[0]?.name ?? channel
    heard.set(name, channel)
    await sql`listen ${sql.id(name)}`.execute(session)
  }

  /** @throws when the work rejects or takes too long; the connection is closed then */
  const inTime = async (work: Promise<unknown>): Promise<void> => {
    // A statement on a dead network never ends: closing the connection rejects it.
    const late = setTimeout(() => current?.connection.stream.destroy(), MAX_BEAT_MS)
    try {
      await work
    } finally {
      clearTimeout(late)
    }
  }

  const listen = (attempt: number) =>
    orm.em
      .getKysely<unknown>()
      .connection()
      .execute(async session => {
        for (const channel of channels) await inTime(listenTo(session, channel))
        if (attempt > 1) logger.info({ attempt }, 'the database announces commits again')
        isListening = true
        connections++
        onListening()
        while (!signal.aborted) {
          await inTime(beat(session))
          await pause(beatMs, signal)
        }
      })

  const run = async (): Promise<void> => {
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await listen(attempt)
      } catch (error) {
        if (isListening) attempt = 1
        const reason = messageOf(error)
        if (isLogged(attempt)) logger.warn({ attempt, reason }, 'the connection on which the database announces commits is lost')
      }
      isListening = false
      // A lost connection must not go back to the pool with its subscriptions.
      current?.connection.stream.destroy()
      current = null
      await pause(Math.min(250 * attempt, 2_000), signal)
    }
    await orm.close(true)
  }

  const running = run()
  return {
    get isListening() {
      return isListening
    },
    get reconnects() {
      return Math.max(0, connections - 1)
    },
    stop: async () => {
      stopped.abort()
      await running
    },
  }
}
