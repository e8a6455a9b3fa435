import { monotonicMs } from '#benchmarks/harness/monotonic.ts'
import { answerCalls } from '#benchmarks/harness/worker.ts'
import type { ChainCalls } from './chainCalls.ts'
import { createLaunchpadChain, type LaunchpadChain } from './launchpadChain.ts'
import { type Provider, startProvider } from './provider.ts'

/* The chain and its provider in a process of their own, so that making blocks delays neither the service nor its clients. */

let opened: { readonly chain: LaunchpadChain; readonly provider: Provider } | null = null

function open() {
  if (opened === null) throw new Error('the chain is not open')
  return opened
}

answerCalls<ChainCalls>({
  open: async size => {
    const chain = createLaunchpadChain(size)
    const provider = await startProvider(chain)
    opened = { chain, provider }
    return { url: provider.url, webSocketUrl: provider.webSocketUrl }
  },
  behave: behaviour => open().provider.behave(behaviour),
  contents: () => open().chain.contents(),
  mine: tokens => {
    const { chain, provider } = open()
    const block = chain.mine(tokens)
    const atMs = monotonicMs()
    provider.announce(block)
    return { number: block.header.number, atMs }
  },
  reset: () => open().chain.reset(),
})
