import type { Address } from '#domain/address.ts'
import { type ConnectionPlan, textFrame, upgradeRequest } from './wire.ts'

/**
 * A WebSocket that subscribes to tokens. It claims the newest state of each, so that the server sends no snapshot.
 *
 * @param delta whether changes may come as deltas
 */
export function tokenPlan(port: number, tokens: readonly Address[], delta = false): ConnectionPlan {
  const subscribe = (token: Address) => textFrame(JSON.stringify({ type: 'subscribe', token, sequence: Number.MAX_SAFE_INTEGER, delta }))
  return {
    request: upgradeRequest('/realtime', `127.0.0.1:${port}`),
    greeting: Buffer.concat(tokens.map(subscribe)),
    ready: { text: '"type":"subscribed', times: tokens.length },
  }
}
