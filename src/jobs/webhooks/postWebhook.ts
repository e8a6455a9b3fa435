import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { isTlsCode } from '#async/connecting.ts'
import { parseRetryAfter } from '#async/retryAfter.ts'
import type { WebhookConfig } from '#config'
import type { Failure } from '#jobs/metadata/failure.ts'
import { type Outbound, sendRequest } from '#jobs/metadata/outbound.ts'

/** The time in which the receiver must answer with 2xx. Redirects are not followed. */
export const ANSWER_MS = 10_000
/** The bounds of an answer's body within which its connection is used again. */
const BODY_MS = 100
const BODY_BYTES = 16_384

export interface WebhookMessage {
  /** The id of the message, which is the same for each attempt. */
  readonly id: string
  /** The message as JSON. */
  readonly body: string
}

export type PostOutcome =
  | { readonly kind: 'taken' }
  /** The receiver wants no more messages (410). */
  | { readonly kind: 'gone' }
  /** `cause`: one sentence without secrets. `retryAfterMs`: the receiver's `Retry-After`; `null`: it gave none. */
  | { readonly kind: 'failed'; readonly cause: string; readonly retryAfterMs: number | null }

export interface PostOptions {
  readonly outbound: Outbound
  /** Whether private addresses and plain http are allowed. */
  readonly allowPrivate: boolean
  /** The time in Unix milliseconds, which receivers compare with their clock. */
  readonly epochMs: () => number
}

function failureCause({ problem, code }: Failure): string {
  switch (problem) {
    case 'forbidden_address':
      return 'its host has an address that is not public'
    case 'too_slow':
      return `it did not answer within ${ANSWER_MS / 1_000} s`
    case 'no_connection': {
      const what = isTlsCode(code ?? '') ? 'its certificate or its encryption is not accepted' : 'it can not be connected to'
      return code === undefined ? what : `${what} (${code})`
    }
    default:
      return problem
  }
}

/** Sends a message to its receiver. Reads only the status and `Retry-After` of the answer. Never rejects. */
export async function postWebhook(
  { url, secret }: Pick<WebhookConfig, 'url' | 'secret'>,
  { id, body }: WebhookMessage,
  { outbound, allowPrivate, epochMs }: PostOptions,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const timestamp = Math.floor(epochMs() / 1_000)
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Tokenwire',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature(secret, id, timestamp, body),
  }
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
  const answer = await sendRequest({ url: new URL(url), trusted: allowPrivate, post: { headers, body } }, outbound, deadline)
  if (answer.kind === 'failure') return { kind: 'failed', cause: failureCause(answer), retryAfterMs: null }
  const { response } = answer
  await skipBody(response)
  const status = response.statusCode ?? 0
  if (status === 410) return { kind: 'gone' }
  if (status >= 200 && status < 300) return { kind: 'taken' }
  return {
    kind: 'failed',
    cause: status >= 300 && status < 400 ? `it redirects (${status}), which is not followed` : `it answers ${status}`,
    retryAfterMs: status === 429 || status === 503 ? parseRetryAfter(response.headers['retry-after'], epochMs()) : null,
  }
}

/** Reads a short body, so that the connection can be used again. Ends the connection of a long one. */
async function skipBody(response: IncomingMessage): Promise<void> {
  let bytes = 0
  response.on('error', () => undefined)
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > BODY_BYTES) response.destroy()
  })
  await finished(response, { signal: AbortSignal.timeout(BODY_MS) }).catch(() => response.destroy())
}

/** The part of a secret before the key in base64. */
export const SECRET_PREFIX = 'whsec_'

/**
 * The header `webhook-signature` of a message by Standard Webhooks, which has the HMAC-SHA256 of id, time and body.
 *
 * @param secret `whsec_` and the key in base64; of several with spaces between them, each signs
 * @param timestamp Unix seconds
 */
export function webhookSignature(secret: string, id: string, timestamp: number, body: string): string {
  const signatures = secret.split(' ').map(one => {
    const key = Buffer.from(one.slice(SECRET_PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return signatures.join(' ')
}
