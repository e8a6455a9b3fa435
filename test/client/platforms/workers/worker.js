import { createTokenwire } from 'tokenwire/client'

const client = createTokenwire({ url: 'SERVICE' })

/** More calls than may be in flight, so that some wait. */
async function answer() {
  const results = await Promise.all(Array.from({ length: 12 }, () => client.token('TOKEN', { timeoutMs: 5_000 })))
  return results.map(({ value, error }) => value?.name ?? `${error.code}: ${error.cause}`)
}

export default {
  async fetch(request) {
    // A request whose context ends while its calls are in flight.
    if (request.url.endsWith('/left')) {
      void answer()
      return new Response('left')
    }
    return Response.json(await answer())
  },
}
