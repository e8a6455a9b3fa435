import type { TokenwireOptions, WebSocketLike } from './options.ts'

const platform = globalThis as unknown as { readonly WebSocket: NonNullable<TokenwireOptions['WebSocket']> }

/**
 * The options with an API key in every request: as the header `X-Api-Key`, and in the address of the WebSocket, since browsers send no
 * headers with it. In a page everyone can read the key: give it origins.
 *
 * @example createTokenwire(withApiKey({ url: 'https://tokenwire.example.com', apiKey }))
 */
export function withApiKey({ apiKey, ...options }: TokenwireOptions & { readonly apiKey: string }): TokenwireOptions {
  const { fetch = globalThis.fetch, WebSocket: Socket = platform.WebSocket } = options
  return {
    ...options,
    // Called as a plain function: browsers reject a `fetch` that is called as a method of another object.
    fetch: (input, init) => {
      const headers = new Headers(init?.headers)
      headers.set('x-api-key', apiKey)
      return fetch(input, { ...init, headers })
    },
    ...(Socket !== undefined && { WebSocket: keyedSocket(Socket, apiKey) }),
  }
}

function keyedSocket(Socket: NonNullable<TokenwireOptions['WebSocket']>, apiKey: string): NonNullable<TokenwireOptions['WebSocket']> {
  // A function may be called with `new` and return another object.
  return function KeyedSocket(url: string): WebSocketLike {
    return new Socket(`${url}?apiKey=${encodeURIComponent(apiKey)}`)
  } as unknown as NonNullable<TokenwireOptions['WebSocket']>
}
