import { readFileSync } from 'node:fs'
import { type ConnectionOptions, connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import { isLogged } from '#async/pause.ts'
import { messageOf, TokenwireError } from '#errors'

export interface NatsOptions {
  readonly urls: readonly string[]
  readonly credsFile: string | null
  readonly logger: Logger
}

export interface Nats {
  readonly isConnected: boolean
  /** Number of reconnections. */
  readonly reconnects: number
  /** The most bytes that the server takes in a message. It refuses more. */
  readonly maxMessageBytes: number
  /** Calls back when messages may have been lost: the connection was lost, or this process read too slowly. */
  onLost(listener: () => void): void
  /** Drops the message while there is no connection: its receivers find what they miss in the database. */
  publish(subject: string, text: string): void
  /** @returns a function that ends the subscription */
  subscribe(subject: string, onMessage: (message: Uint8Array) => void): () => void
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 5_000
/** The default of a server's `max_payload`. */
const DEFAULT_MESSAGE_BYTES = 1_048_576
/** A commit that names no tokens has less than half of it. */
const MIN_MESSAGE_BYTES = 512

/**
 * Connects to NATS, and again whenever the connection is lost. This module is loaded only if `NATS_URL` is set.
 *
 * @throws `TokenwireError` `config_invalid` that names the setting; retryable when no server answers
 */
export async function connectNats({ urls, credsFile, logger }: NatsOptions): Promise<Nats> {
  const connection = await open(urls, credsFile)
  const { max_payload: most = DEFAULT_MESSAGE_BYTES } = connection.info ?? {}
  if (most < MIN_MESSAGE_BYTES) {
    await connection.close()
    const sentence = `the server takes messages of at most ${most} bytes; set its max_payload to ${MIN_MESSAGE_BYTES} or more`
    throw new TokenwireError('config_invalid', `NATS_URL: ${sentence}`)
  }
  let isConnected = true
  let reconnects = 0
  let errors = 0
  let onLost = () => {}
  const watch = async () => {
    for await (const status of connection.status()) {
      const { type } = status
      if (type === 'disconnect') {
        isConnected = false
        logger.warn('the connection to NATS is lost')
      } else if (type === 'reconnect') {
        isConnected = true
        reconnects++
        logger.info('connected to NATS again')
      } else if (type === 'error' && isLogged(++errors)) {
        logger.warn({ errors, reason: status.error.message }, 'NATS_URL: the server refuses something to this user')
      }
      if (type === 'reconnect' || type === 'slowConsumer' || type === 'error') onLost()
    }
  }
  void watch()
  return {
    get isConnected() {
      return isConnected
    },
    get reconnects() {
      return reconnects
    },
    get maxMessageBytes() {
      return connection.info?.max_payload ?? DEFAULT_MESSAGE_BYTES
    },
    onLost: listener => {
      onLost = listener
    },
    publish: (subject, text) => {
      if (isConnected && !connection.isClosed()) connection.publish(subject, text)
    },
    subscribe: (subject, onMessage) => {
      const subscription = connection.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) onMessage(message.data)
          else onLost()
        },
      })
      return () => {
        if (!connection.isClosed()) subscription.unsubscribe()
      }
    },
    close: () => connection.close(),
  }
}

async function open(urls: readonly string[], credsFile: string | null): Promise<NatsConnection> {
  const parsed = urls.map(url => new URL(url))
  const hosts = parsed.map(({ host }) => host)
  try {
    return await connect({
      servers: hosts,
      name: 'tokenwire',
      timeout: CONNECT_TIMEOUT_MS,
      maxReconnectAttempts: -1,
      // By default the client gives up for good when it is refused twice in a row, as while its credentials are renewed.
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: 250,
      // Servers behind an address translation name addresses that nobody reaches, and would be tried by turns with the configured ones.
      ignoreClusterUpdates: true,
      // A server that hangs is left soon, so that only few unsent messages are buffered for it.
      pingInterval: 5_000,
      maxPingOut: 2,
      ...(parsed.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
      ...credentials(
        parsed.find(({ username }) => username !== ''),
        credsFile,
      ),
    })
  } catch (cause) {
    const reason = messageOf(cause)
    const isRefused = /authori[sz]ation|authentication|permissions|certificate/i.test(reason)
    const remedy = isRefused ? 'correct its user, password or NATS_CREDS_FILE' : 'start it, or correct host and port'
    throw new TokenwireError('config_invalid', `NATS_URL: no connection to ${hosts.join(', ')} (${reason}); ${remedy}`, {
      retryable: !isRefused,
      cause,
    })
  }
}

function credentials(url: URL | undefined, credsFile: string | null): Pick<ConnectionOptions, 'authenticator' | 'user' | 'pass' | 'token'> {
  if (credsFile !== null) return { authenticator: credsAuthenticator(() => readFileSync(credsFile)) }
  if (url === undefined || url.username === '') return {}
  const user = decodeURIComponent(url.username)
  return url.password === '' ? { token: user } : { user, pass: decodeURIComponent(url.password) }
}
