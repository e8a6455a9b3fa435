import { expect, it } from 'vitest'
import { INTEGRATIONS } from '#configuration/settings.ts'
import { createRouter } from '#gateway/http/requests.ts'
import { routes } from '#gateway/http/routes.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { integrationRoutes } from '#integrations/integrationRoutes.ts'

const ADDRESS = '0x00000000000000000000000000000000000000a1'

/*
 * A base address that ends with a slash gives `//api/tokens`, and the answer said no more than that there is nothing: newcomers took the
 * service for broken.
 */
it.each([
  ['//api/tokens', '/api/tokens'],
  ['/api/tokens/', '/api/tokens'],
  ['/api/token', '/api/tokens'],
  ['/API/Tokens', '/api/tokens'],
  ['/health', '/healthz'],
  [`/api/tokens/${ADDRESS}/candle`, '/api/tokens/{address}/candles'],
  [`/api/wallet/${ADDRESS}/holdings`, '/api/wallets/{address}/holdings'],
])('names the path that %s is meant for', (path, meant) => {
  expect(match(path)).toMatchObject({ kind: 'problem', status: 404, detail: expect.stringMatching(`; did you mean ${meant}\\?$`) })
})

it.each(['/wp-login.php', '/graphql', `/${'a'.repeat(4_000)}`])('suggests no path where none is near, %#', path => {
  expect(match(path)).toMatchObject({ kind: 'problem', status: 404, detail: expect.stringMatching('; /docs has all paths$') })
})

function match(path: string) {
  return createRouter(
    routes({ site: null, integrations: integrationRoutes, config: { role: 'all', integrations: INTEGRATIONS } } as unknown as Sources, () =>
      expect.fail('no route is asked'),
    ),
  )('GET', path)
}
