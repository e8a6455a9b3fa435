import type { TokenwireOptions, WebSocketLike } from './options.ts'

const platform = globalThis as unknown as { readonly WebSocket: NonNullable<TokenwireOptions['WebSocket']> }

/**
 * The options with an API key in every request: as the header `X-Api-Key`, and in the address of the WebSocket, since browsers send no
 * headers with it. In a page everyone can read the key: give it origins.
 *
 * @example createTokenwire(withApiKey({ url: 'https://tokenwire.example.com', apiKey }))
 */
export function withApiKey({ apiKey, ...options }: TokenwireOptions & { readonly apiKey: string }): TokenwireOptions {
  const { fetch = (...request) => globalThis.fetch(...request) } = options
  return {
    ...options,
    // Called as a plain function: browsers reject a `fetch` that is called as a method of another object.
    fetch: (input, init) => {
      // The client's own headers, which are a plain object.
      return fetch(input, { ...init, headers: { ...(init?.headers as object), 'x-api-key': apiKey } })
    },
    WebSocket: keyedSocket(apiKey, options.WebSocket),
  }
}

/** Throws when it opens where the platform has no WebSocket, as without a key. */
function keyedSocket(apiKey: string, Socket: TokenwireOptions['WebSocket']): NonNullable<TokenwireOptions['WebSocket']> {
  // A function may be called with `new` and return another object.
  return function KeyedSocket(url: string): WebSocketLike {
    return new (Socket ?? platform.WebSocket)(`${url}?apiKey=${encodeURIComponent(apiKey)}`)
  } as unknown as NonNullable<TokenwireOptions['WebSocket']>
}
