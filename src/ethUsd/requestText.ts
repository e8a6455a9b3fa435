import { fetchFailure } from '#async/fetchFailure.ts'

/** An answer's text, or the reason of a failure, which contains no part of the request or the answer. */
export type TextAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failure'; readonly reason: string; readonly status: number | null; readonly retryAfter: string | null }

export interface TextRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeout: (ms: number) => AbortSignal
  readonly maxBytes: number
  readonly signal: AbortSignal
}

const MAX_REDIRECTS = 2
/** The time limit for the connection, all redirects and the body. */
const TIMEOUT_MS = 3_000

/** Fetches a small text. Follows redirects within the origin only, since the headers may hold an API key. Never rejects. */
export async function requestText(request: TextRequest): Promise<TextAnswer> {
  const timeout = request.timeout(TIMEOUT_MS)
  try {
    return await follow(request, AbortSignal.any([timeout, request.signal]))
  } catch (error) {
    return failure(timeout.aborted ? `no answer within ${TIMEOUT_MS} ms` : noConnection(error))
  }
}

async function follow({ url, headers, maxBytes }: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
  let target = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(target, { headers: { accept: 'application/json', ...headers }, redirect: 'manual', signal })
    if (response.status < 300 || response.status > 399) return read(response, maxBytes)
    await response.body?.cancel()
    const header = response.headers.get('location')
    const location = header === null ? null : URL.parse(header, target)
    if (location === null) return failure(`status ${response.status} without a location`)
    if (location.origin !== new URL(target).origin) return failure('a redirect to another origin')
    target = location.href
  }
  return failure('too many redirects')
}

async function read(response: Response, maxBytes: number): Promise<TextAnswer> {
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    return {
      kind: 'failure',
      reason: `status ${response.status}`,
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
    }
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop early cancels the body, which closes the connection.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return failure(`an answer of more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return { kind: 'text', text: Buffer.concat(chunks).toString('utf8') }
}

function failure(reason: string): TextAnswer {
  return { kind: 'failure', reason, status: null, retryAfter: null }
}

function noConnection(error: unknown): string {
  const why = fetchFailure(error)
  return why === null ? 'no connection' : `no connection (${why})`
}
