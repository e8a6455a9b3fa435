import { type ConnectionPlan, streamRequest, textFrame, upgradeRequest } from '#benchmarks/load/wire.ts'
import { feedToken } from '#benchmarks/servers/feed.ts'
import type { ArmKind } from './arms.ts'

/** How a connection opens and subscribes to tokens, in the protocol of the arm's server. An event stream has one token. */
export function connectionPlan(arm: ArmKind, port: number, tokens: readonly number[]): ConnectionPlan {
  const host = `127.0.0.1:${port}`
  const [token = 0] = tokens
  if (arm.transport === 'eventStream') {
    const request = streamRequest(`/api/tokens/${feedToken(token)}/stream?lastEventId=${INDEXED_SEQUENCE}`, host)
    return { kind: 'eventStream', request, greeting: new Uint8Array(), ready: { text: 'retry:', times: 1 } }
  }
  switch (arm.server) {
    case 'nchan':
      return {
        kind: 'webSocket',
        request: upgradeRequest(`/subscribe?id=${feedToken(token)}`, host),
        greeting: new Uint8Array(),
        ready: AT_ONCE,
      }
    case 'nats':
      return {
        kind: 'webSocket',
        request: upgradeRequest('/', host),
        greeting: textFrame(`CONNECT {"verbose":false}\r\n${tokens.map((of, id) => `SUB ${feedToken(of)} ${id}\r\n`).join('')}PING\r\n`),
        ready: { text: 'PONG', times: 1 },
      }
    default:
      return subscribingPlan(arm, host, tokens)
  }
}

function subscribingPlan({ tls = false, compress = false }: ArmKind, host: string, tokens: readonly number[]): ConnectionPlan {
  const headers = compress ? ['Sec-WebSocket-Extensions: permessage-deflate'] : []
  return {
    kind: 'webSocket',
    tls,
    isCounted: compress,
    request: upgradeRequest('/realtime', host, headers),
    greeting: Buffer.concat(tokens.map(token => subscribeFrame(token))),
    ready: { text: '"type":"subscribed', times: tokens.length },
  }
}

/** A socket.io client must wait for the answer to its handshake, so this plan has no subscriptions. */
export function socketIoPlan(port: number): ConnectionPlan {
  return {
    kind: 'webSocket',
    request: upgradeRequest('/socket.io/?EIO=4&transport=websocket', `127.0.0.1:${port}`),
    greeting: textFrame('40'),
    ready: { text: '40{"sid"', times: 1 },
  }
}

/** The connection counts as open with the answer's head. */
const AT_ONCE = { text: '', times: 0 }

const INDEXED_SEQUENCE = 1_795_000_000_000

export function unsubscribeFrame(token: number): Buffer {
  return textFrame(JSON.stringify({ type: 'unsubscribe', token: feedToken(token) }))
}

/** Claims the newest sequence, so that the server sends no snapshot. */
export function subscribeFrame(token: number): Buffer {
  return textFrame(JSON.stringify({ type: 'subscribe', token: feedToken(token), sequence: Number.MAX_SAFE_INTEGER }))
}
