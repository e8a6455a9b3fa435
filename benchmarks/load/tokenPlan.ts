import type { Address } from '#domain/address.ts'
import { type ConnectionPlan, textFrame, upgradeRequest } from './wire.ts'

export interface TokenPlanOptions {
  /** Whether it waits for the snapshot of each token. Otherwise it claims the newest state, so that the server sends none. */
  readonly snapshots?: boolean
}

/** A WebSocket that subscribes to tokens. */
export function tokenPlan(port: number, tokens: readonly Address[], { snapshots = false }: TokenPlanOptions = {}): ConnectionPlan {
  const claim = snapshots ? {} : { sequence: Number.MAX_SAFE_INTEGER }
  return {
    kind: 'webSocket',
    request: upgradeRequest('/realtime', `127.0.0.1:${port}`),
    greeting: Buffer.concat(tokens.map(token => textFrame(JSON.stringify({ type: 'subscribe', token, ...claim })))),
    ready: { text: snapshots ? '"reason":"' : '"type":"subscribed', times: tokens.length },
  }
}
