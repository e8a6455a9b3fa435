import { createHmac } from 'node:crypto'

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
