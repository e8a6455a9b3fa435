import { toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Address, toAddress } from '#domain/address.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { completeContracts } from '#worker/connectChain.ts'

const FACTORY = toAddress(`0x${'1'.repeat(40)}`)
const LOCKER = toAddress(`0x${'2'.repeat(40)}`)
const UNISWAP = toAddress(`0x${'a'.repeat(40)}`)
const entry = (contracts: Readonly<Record<string, Address>>) => [{ name: 'mine', adapter: 'clanker-v3.1', startBlock: 0, contracts }]

function answering(answer: unknown) {
  const asked: unknown[] = []
  const request = async (call: unknown) => {
    asked.push(call)
    if (answer instanceof Error) throw answer
    return answer
  }
  return { request, asked }
}

describe('contracts that are left out', () => {
  it('are asked of the contract that tells them', async () => {
    const rpc = answering(`0x${'0'.repeat(24)}${UNISWAP.slice(2)}`)
    const [launchpad] = await completeContracts(rpc, entry({ factory: FACTORY, locker: LOCKER }), ADAPTER_KINDS)
    expect(launchpad?.contracts).toEqual({ factory: FACTORY, locker: LOCKER, uniswapFactory: UNISWAP })
    expect(rpc.asked).toEqual([{ method: 'eth_call', params: [{ to: FACTORY, data: toFunctionSelector('uniswapV3Factory()') }, 'latest'] }])
  })

  it('are found by way of others, on the first path that leads there, and stay out where they are optional and none does', async () => {
    const addressWord = (of: Address) => `0x${'0'.repeat(24)}${of.slice(2)}`
    const [implementation, router] = ['3', '4'].map(digit => toAddress(`0x${digit.repeat(40)}`)) as [Address, Address]
    const wow = (contracts: Readonly<Record<string, Address>>) => [{ name: 'wow', adapter: 'wow', startBlock: 0, contracts }]
    const answers: Record<string, string> = {
      [`${FACTORY}${toFunctionSelector('coinImpl()')}`]: addressWord(implementation),
      [`${implementation}${toFunctionSelector('swapRouter()')}`]: addressWord(router),
      [`${router}${toFunctionSelector('factory()')}`]: addressWord(UNISWAP),
    }
    const request = async ({ params }: { readonly params?: unknown }) => {
      const [{ to, data }] = params as [{ to: string; data: string }]
      const answer = answers[`${to}${data}`]
      if (answer === undefined) throw new RpcError({ kind: 'rejected', code: 3, text: 'execution reverted' })
      return answer
    }
    const given = { factory: FACTORY, protocolRewards: LOCKER }
    expect(await completeContracts({ request }, wow(given), ADAPTER_KINDS)).toEqual(wow({ ...given, uniswapFactory: UNISWAP }))
    expect(await completeContracts({ request }, wow({ ...given, factory: LOCKER }), ADAPTER_KINDS)).toEqual(
      wow({ ...given, factory: LOCKER }),
    )
  })

  it('are not asked for when they are given, nor of launchpads without any', async () => {
    const rpc = answering('0x')
    const given = entry({ factory: FACTORY, locker: LOCKER, uniswapFactory: UNISWAP })
    expect(await completeContracts(rpc, given, ADAPTER_KINDS)).toEqual(given)
    const other = [{ name: 'other', adapter: 'bonding-curve', startBlock: 0, contracts: { factory: FACTORY } }]
    expect(await completeContracts(rpc, other, ADAPTER_KINDS)).toEqual(other)
    expect(rpc.asked).toEqual([])
  })

  it.each([
    ['nothing', '0x'],
    ['the zero address', `0x${'0'.repeat(64)}`],
    ['no address', `0x${'f'.repeat(64)}`],
    ['a revert', new RpcError({ kind: 'rejected', code: 3, text: 'execution reverted' })],
  ])('stop the start when the answer is %s', async (_, answer) => {
    const completed = completeContracts(answering(answer), entry({ factory: FACTORY, locker: LOCKER }), ADAPTER_KINDS)
    await expect(completed).rejects.toMatchObject({
      code: 'config_invalid',
      message: `LAUNCHPADS_FILE: launchpads[0].uniswapFactory: missing, and the factory at ${FACTORY} does not return it (uniswapV3Factory())`,
    })
  })

  it('are tried again when no provider answers', async () => {
    const lost = answering(new RpcError({ kind: 'timeout' }))
    await expect(completeContracts(lost, entry({ factory: FACTORY }), ADAPTER_KINDS)).rejects.toMatchObject({ retryable: true })
  })
})
