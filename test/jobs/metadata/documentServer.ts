import { once } from 'node:events'
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import https from 'node:https'
import { FETCH_LIMITS, type FetchLimits } from '#jobs/metadata/outbound.ts'
import { closedAfterFile } from '#test/support/closeAfterFile.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import { listen } from '#test/support/listen.ts'
import { creatorCertificate, creatorCertificateKey } from './creatorCertificate.ts'

/** A server on this machine is not too slow when the machine is busy. */
export const PATIENT_LIMITS: FetchLimits = { ...FETCH_LIMITS, connectMs: POLL_LIMIT_MS, firstByteMs: POLL_LIMIT_MS, wholeMs: POLL_LIMIT_MS }

export interface DocumentServer {
  /** `http://127.0.0.1:<port>` or the same with `https`. */
  readonly url: string
  readonly port: number
  /** Host and path of every request so far. */
  readonly requests: readonly string[]
  /** What it answers from now on. */
  answer(listener: RequestListener): void
  /** Resolves when that request's connection has ended. */
  gone(request: number): Promise<void>
  /** Resolves when that number of requests has come. */
  came(count: number): Promise<void>
  close(): Promise<void>
}

/**
 * A server on this machine, for gateways and creators, good and bad. `secure`: with the certificate of creator.example and other.example.
 */
export async function startDocumentServer(options: { readonly secure?: boolean } = {}): Promise<DocumentServer> {
  const requests: string[] = []
  const ends: Promise<unknown>[] = []
  const waiting = new Set<() => void>()
  let listener: RequestListener = (_, response) => void response.writeHead(404).end()
  const take = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.headers.host ?? ''}${request.url ?? ''}`)
    ends.push(new Promise(resolve => void request.socket.once('close', resolve)))
    for (const look of waiting) look()
    response.on('error', () => undefined)
    listener(request, response)
  }
  const server =
    options.secure === true ? https.createServer({ cert: creatorCertificate, key: creatorCertificateKey }, take) : http.createServer(take)
  const port = await listen(server)
  const came = (count: number) =>
    new Promise<void>(resolve => {
      const look = () => {
        if (requests.length < count) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  return {
    url: `${options.secure === true ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    answer: next => {
      listener = next
    },
    came,
    gone: async request => {
      await came(request + 1)
      await ends[request]
    },
    close: closedAfterFile(async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    }),
  }
}

/** Answers every request with this JSON. */
export function giving(document: unknown, headers: http.OutgoingHttpHeaders = {}): RequestListener {
  return (_, response) => void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document))
}

export function redirecting(location: string, status = 302): RequestListener {
  return (_, response) => void response.writeHead(status, { location }).end()
}
