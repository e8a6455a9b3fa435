import type { Address } from '#domain/address.ts'
import { type ConnectionPlan, textFrame, upgradeRequest } from './wire.ts'

export interface TokenPlanOptions {
  /** Whether changes may come as deltas. Default: not. */
  readonly delta?: boolean
  /** The newest sequence that it says it has of each token. Default: the present time in Unix milliseconds, as in sequences. */
  readonly sequence?: number
}

/** A WebSocket that subscribes to tokens. It says that it has their newest states, so that the server sends no snapshots. */
export function tokenPlan(
  port: number,
  tokens: readonly Address[],
  { delta = false, sequence = Date.now() }: TokenPlanOptions = {},
): ConnectionPlan {
  const subscribe = (token: Address) => textFrame(JSON.stringify({ type: 'subscribe', token, sequence, delta }))
  return {
    request: upgradeRequest('/realtime', `127.0.0.1:${port}`),
    greeting: Buffer.concat(tokens.map(subscribe)),
    ready: { text: '"type":"subscribed', times: tokens.length },
  }
}
