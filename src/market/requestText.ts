/** An answer's text, or why there is none, in words that hold nothing of the request or the answer. */
export type TextAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string; readonly status: number | null; readonly retryAfter: string | null }

export interface TextRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  /** For the whole of it: connection, redirects and body. */
  readonly timeoutMs: number
  readonly timeout: (ms: number) => AbortSignal
  readonly mostBytes: number
  readonly signal: AbortSignal
}

const MOST_REDIRECTS = 2

/**
 * Gets a small text. Redirects are followed within the origin only, since the request's headers may hold a key. Never rejects.
 */
export async function requestText(request: TextRequest): Promise<TextAnswer> {
  const timeout = request.timeout(request.timeoutMs)
  try {
    return await follow(request, AbortSignal.any([timeout, request.signal]))
  } catch (error) {
    return failure(timeout.aborted ? `no answer within ${request.timeoutMs} ms` : `no connection${codeOf(error)}`)
  }
}

async function follow({ url, headers, fetch, mostBytes }: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
  let target = url
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await fetch(target, { headers: { accept: 'application/json', ...headers }, redirect: 'manual', signal })
    if (response.status < 300 || response.status > 399) return read(response, mostBytes)
    await response.body?.cancel()
    const place = response.headers.get('location')
    const location = place === null ? null : URL.parse(place, target)
    if (location === null) return failure(`status ${response.status} without a place to go`)
    if (location.origin !== new URL(target).origin) return failure('a redirect to another origin')
    target = location.href
  }
  return failure('too many redirects')
}

async function read(response: Response, mostBytes: number): Promise<TextAnswer> {
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    return { ok: false, reason: `status ${response.status}`, status: response.status, retryAfter: response.headers.get('retry-after') }
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop early cancels the body and with it the connection.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > mostBytes) return failure(`an answer of more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return { ok: true, text: Buffer.concat(chunks).toString('utf8') }
}

function failure(reason: string): TextAnswer {
  return { ok: false, reason, status: null, retryAfter: null }
}

/** `fetch` wraps the system's error; its code (`ECONNREFUSED`) says enough and quotes nothing. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : ''
}
