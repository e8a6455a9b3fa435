import { STATUS_CODES } from 'node:http'
import { type Answer, jsonTextAnswer, type Outcome } from '#gateway/http/answer.ts'
import { answerRoute } from '#gateway/http/answerRoute.ts'
import type { Exchange } from '#gateway/http/exchange.ts'
import type { ParameterTexts } from '#gateway/http/parameters.ts'
import { originNotAllowed, type Problem } from '#gateway/http/problem.ts'
import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { encodeResult, encodeRpcError, type McpResult, type McpService, stepOf } from '#gateway/mcp/mcpAnswers.ts'
import { type Ask, callTool } from '#gateway/mcp/mcpCall.ts'
import { error, type McpError, type McpMessage, parseMcpMessage, type ReadHeader } from '#gateway/mcp/mcpMessage.ts'
import { mcpTools } from '#gateway/mcp/mcpTools.ts'
import { NO_PARAMETERS } from '#resources/resource.ts'

/** The largest body, as large as a message of the WebSocket may be. */
const MAX_BODY_BYTES = 16_384

/** The sources of the routes. `failed`: the problem of an error that is not the client's. */
export type McpSources = Pick<Sources, 'admission' | 'responses' | 'version'> & {
  readonly failed: (error: unknown, exchange: Exchange) => Problem
}

/**
 * The Model Context Protocol as one POST per message: `tools/list`, `tools/call`, and what clients ask before. A call is counted as one
 * request, and answered as a GET of the path that the tool stands for. Nothing is kept between requests.
 *
 * @param routes of the service; called at the first request
 */
export function mcpRoutes(routes: () => readonly Route[], sources: McpSources): readonly Route[] {
  let made: McpService | null = null
  const service = () => (made ??= { version: sources.version, tools: mcpTools(routes()) })
  // Clients add a slash to the address, or take it from a folder's; a redirect would lose the body of a POST in some.
  return ['/mcp', '/mcp/'].map(path => ({
    path,
    method: 'POST',
    label: '/mcp',
    parameters: NO_PARAMETERS,
    access: 'public',
    limited: true,
    cacheControl: 'never',
    description: null,
    async handle(_, exchange) {
      const { origin, client } = exchange
      // Any page that a browser's user opens could otherwise ask a service that only this user can reach.
      if (origin !== '' && !sources.admission.originAllowed(origin, client.key)) return originNotAllowed(origin)
      const header = readHeaders(exchange)
      const body = await exchange.body(MAX_BODY_BYTES)
      switch (body.kind) {
        case 'aborted':
          return { kind: 'handedOver' }
        case 'tooLong':
          return errorAnswer({ ...error(null, 'invalidRequest', `the body may have ${MAX_BODY_BYTES} bytes`), status: 413 })
        case 'body':
          return answerMessage(parseMcpMessage(body.text, header), exchange)
      }
    },
  }))

  async function answerMessage(message: McpMessage, exchange: Exchange): Promise<Outcome> {
    if (message.kind === 'notification') return { kind: 'answer', status: '202 Accepted', headers: [], body: null }
    if (message.kind === 'error') return errorAnswer(message)
    const step = stepOf(message, service())
    if (step.kind === 'error') return errorAnswer(step)
    const encode = (result: McpResult) => encodeResult(message, result, sources.version)
    return jsonTextAnswer(step.kind === 'result' ? encode(step.result) : await callTool(step, service().tools, asker(exchange), encode))
  }

  /** Asks a path as a GET would, on behalf of a tool. */
  function asker(exchange: Exchange): Ask {
    return (route, texts) => {
      const asked = { route, texts, key: `mcp ${route.path}?${keyOf(texts)}`, isOperator: false }
      return answerRoute(asked, exchange, sources.responses).catch((cause: unknown) => sources.failed(cause, exchange))
    }
  }
}

/** Reads the headers before the first await, after which the request is gone. */
function readHeaders(exchange: Exchange): ReadHeader {
  const names = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const
  const values = new Map<string, string>(names.map(name => [name, exchange.header(name)]))
  return name => values.get(name) ?? ''
}

function keyOf(texts: ParameterTexts): string {
  return new URLSearchParams(Object.fromEntries(Array.from(texts, ([name, values]) => [name, values.join(',')]))).toString()
}

function errorAnswer(message: McpError): Answer {
  return jsonTextAnswer(encodeRpcError(message), [], `${message.status} ${STATUS_CODES[message.status] ?? ''}`)
}
