import { quote } from '#gateway/http/problem.ts'
import { isFields } from '#protocol/applyDelta.ts'

/**
 * The protocol without a handshake, in which every request says its version; the header `Mcp-Method` repeats the method and `Mcp-Name` the
 * name of the tool, for proxies (https://modelcontextprotocol.io/specification/2026-07-28).
 */
export const STATELESS_VERSION = '2026-07-28'

/** The versions that begin with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

/** Codes of JSON-RPC, and of MCP from -32020 on. */
export const RPC_CODES = {
  parse: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const

export type RpcId = string | number

export interface McpError {
  readonly kind: 'error'
  /** The HTTP status. */
  readonly status: 200 | 400 | 404 | 413 | 415
  /** The id of the request; `null`: the message has no id that could be read. */
  readonly id: RpcId | null
  readonly code: (typeof RPC_CODES)[keyof typeof RPC_CODES]
  readonly message: string
  readonly data?: object
}

export interface McpRequest {
  readonly kind: 'request'
  readonly id: RpcId
  readonly method: string
  readonly params: Fields
  /** Whether it is of the version without a handshake. */
  readonly isStateless: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** The request's header by its name in lower case; `''`: absent. */
export type ReadHeader = (name: 'content-type' | 'mcp-protocol-version' | 'mcp-method' | 'mcp-name') => string

const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion'

/** A parsed message. `notification`: it wants no answer, and may also be a client's response. */
export type McpMessage = McpRequest | McpError | { readonly kind: 'notification' }

/** Parses the message of a POST. */
export function parseMcpMessage(text: string, header: ReadHeader): McpMessage {
  if (!/^application\/json\s*(?:;|$)/i.test(header('content-type')))
    return { ...error(null, 'invalidRequest', 'the Content-Type must be application/json'), status: 415 }
  const message = parseJson(text)
  if (message === undefined) return error(null, 'parse', 'the body must be JSON')
  if (Array.isArray(message))
    return error(null, 'invalidRequest', 'the body must be one message: batches are not part of the protocol since 2025-06-18')
  if (!isFields(message) || message['jsonrpc'] !== '2.0') return error(null, 'invalidRequest', 'the body must be a JSON-RPC 2.0 message')
  const { id, method } = message
  // Some clients send null for a field that is absent.
  const params = message['params'] ?? {}
  if (id === undefined && typeof method === 'string') return { kind: 'notification' }
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return error(null, 'invalidRequest', 'id must be a string or an integer')
  if (method === undefined && ('result' in message || 'error' in message)) return { kind: 'notification' }
  const known = id as RpcId
  if (typeof method !== 'string') return error(known, 'invalidRequest', 'method must be a string')
  if (!isFields(params)) return error(known, 'invalidParams', 'params must be an object')
  const version = versionOf(params)
  const request: McpRequest = { kind: 'request', id: known, method, params, isStateless: version !== undefined }
  return (version === undefined ? refuseHandshake(request, header) : refuseStateless(request, version, header)) ?? request
}

/** The version in a request; `undefined`: it has none, as before the version without a handshake. */
function versionOf(params: Fields): unknown {
  const meta = params['_meta']
  return isFields(meta) ? meta[VERSION_FIELD] : undefined
}

function refuseHandshake({ id }: McpRequest, header: ReadHeader): McpError | null {
  const given = header('mcp-protocol-version')
  if (given === STATELESS_VERSION) return error(id, 'invalidParams', `params._meta must have ${VERSION_FIELD}`)
  return given === '' || isHandshakeVersion(given) ? null : unsupported(id, given)
}

function refuseStateless({ id, method, params }: McpRequest, version: unknown, header: ReadHeader): McpError | null {
  if (typeof version !== 'string') return error(id, 'invalidParams', `${VERSION_FIELD} must be a string`)
  const mirrored = [
    ['MCP-Protocol-Version', header('mcp-protocol-version'), version],
    ['Mcp-Method', header('mcp-method'), method],
    ...(method === 'tools/call' ? [['Mcp-Name', header('mcp-name'), params['name']] as const] : []),
  ] as const
  const differing = mirrored.find(([, inHeader, inBody]) => inHeader !== inBody)
  if (differing !== undefined) {
    const [name, inHeader, inBody] = differing
    return error(id, 'headerMismatch', `the header ${name} must be ${quote(String(inBody))} as in the body, got ${quote(inHeader)}`)
  }
  return version === STATELESS_VERSION ? null : unsupported(id, version)
}

export function isHandshakeVersion(version: unknown): version is (typeof HANDSHAKE_VERSIONS)[number] {
  return HANDSHAKE_VERSIONS.some(one => one === version)
}

function unsupported(id: RpcId, requested: string): McpError {
  const data = { supported: [STATELESS_VERSION], requested: requested.slice(0, 64) }
  return { ...error(id, 'unsupportedVersion', `unsupported protocol version ${quote(requested)}`), data }
}

/** An error with the HTTP status 400. */
export function error(id: RpcId | null, code: keyof typeof RPC_CODES, message: string): McpError {
  return { kind: 'error', status: 400, id, code: RPC_CODES[code], message }
}

/** The value of a text; `undefined`: it is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
