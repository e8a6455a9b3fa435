import { expect, test } from 'vitest'
import { startTestChain } from '#test/support/chain.ts'
import { startConnectProxy } from '#test/support/connectProxy.ts'
import { serviceFolder, spawnService } from '#test/support/service.ts'

/* Where only a proxy leads out, HTTPS_PROXY was ignored without a word, and no provider was reached. */

const chain = await startTestChain()
const folder = await serviceFolder(chain)
test('asks providers through the proxy of the environment, but those of NO_PROXY', async () => {
  const proxy = await startConnectProxy()
  const { port } = new URL(chain.anvil.url)
  // Only the proxy finds these names.
  const urls = [`http://http.invalid:${port}`, `ws://ws.invalid:${port}`, `http://localhost:${port}`]
  const proxied = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: 'localhost' }
  const service = await folder.start({ ...proxied, RPC_URLS: urls.join(',') })
  await expect
    .poll(() => new Set(proxy.seen))
    .toEqual(new Set(['http', 'ws'].map(name => `Basic ${btoa('me:hidden-word')} ${name}.invalid:${port}`)))
  await service.stop()
  expect(service.output()).toContain(proxy.host)
  expect(service.output()).not.toContain('hidden-word')
  proxy.stop()
})

test.each([
  ['names the answer of a proxy that refuses', { NODE_USE_ENV_PROXY: '1' }, 'rpc-1: the connection failed (the proxy answered 407)'],
  ['says which variable uses a proxy that it ignores', {}, 'NODE_USE_ENV_PROXY=1'],
])('%s', async (_, settings, sentence) => {
  const proxy = await startConnectProxy(407)
  const service = spawnService({
    ...folder.env,
    ...settings,
    https_proxy: proxy.url,
    http_proxy: proxy.url,
    RPC_URLS: 'http://http.invalid:8545',
  })
  await expect.poll(service.output).toContain(sentence)
  service.process.kill('SIGTERM')
  await service.exited
  expect(service.output()).toContain(proxy.host)
  expect(service.output()).not.toContain('hidden-word')
  proxy.stop()
})
