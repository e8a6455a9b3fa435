import { MessageChannel } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createCalls } from '#async/calls.ts'
import { TokenwireError } from '#errors'

type Far = {
  add(a: number, b: number): number
  later(text: string): Promise<string>
  fail(): void
  refuse(): Promise<never>
  backAndForth(): Promise<number>
}

function channel() {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const near: { readonly call: ReturnType<typeof createCalls<{ seven(): number }>> } = {
    call: createCalls<{ seven(): number }>(port2, {
      add: (a: number, b: number) => a + b,
      later: async (text: string) => text,
      fail: () => {
        throw new RangeError('too far')
      },
      refuse: async () => {
        throw new TokenwireError('price_unavailable', 'no price', { retryable: true })
      },
      backAndForth: async () => (await near.call('seven')) + 1,
    }),
  }
  return createCalls<Far>(port1, { seven: () => 7 })
}

test('calls a function of the other end and returns its result', async () => {
  const call = channel()
  expect(await Promise.all([call('add', 1, 2), call('later', 'a'), call('add', 3, 4)])).toEqual([3, 'a', 7])
})

test('lets both ends call each other', async () => {
  expect(await channel()('backAndForth')).toBe(8)
})

test('throws what the other end throws, with the code of an error that was thrown on purpose', async () => {
  const call = channel()
  await expect(call('fail')).rejects.toThrow('too far')
  const refused = await call('refuse').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(TokenwireError)
  expect(refused).toMatchObject({ code: 'price_unavailable', message: 'no price', retryable: true })
})
