import { expect, it } from 'vitest'
import { createContext } from '#client/context.ts'
import { REST_METHODS, type RestApi } from '#client/generated/restMethods.ts'
import { startReading } from '#client/reading.ts'
import { createRest, createRestApi } from '#client/rest/rest.ts'
import { createTokenReader } from '#client/watch/tokenReader.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { SimulatedClock } from './simulatedClock.ts'

/** What fits into the first TCP segment on every path: IPv6's smallest packet of 1,280 bytes without headers of 72. */
const SEGMENT_BYTES = 1_208

it('fetches tokens with request lines that fit into one TCP segment', async () => {
  const clock = new SimulatedClock()
  const closing = new AbortController()
  const paths: string[] = []
  const asked = new Set<string>()
  const context = createContext(
    {
      url: `https://example.com/${'path/'.repeat(20)}`,
      clock,
      random: () => 0,
      fetch: async input => {
        const { pathname, search, searchParams } = new URL(input instanceof Request ? input.url : input)
        paths.push(pathname + search)
        for (const address of searchParams.get('addresses')?.split(',') ?? []) asked.add(address)
        return Response.json({ data: [], nextCursor: null, asOfBlock: '1' })
      },
    },
    closing.signal,
  )
  const read: boolean[] = []
  const polled = (isSuccess: boolean | null) => isSuccess !== null && read.push(isSuccess)
  const reader = createTokenReader(
    context,
    createRestApi<RestApi>(REST_METHODS, createRest(context)),
    options => startReading(context, polled, options),
    { watched: () => [], withoutStream: () => [], take: () => {} },
  )
  const tokens = Array.from({ length: 150 }, (_, index) => addressOf(index + 1))
  reader.start()
  reader.soon(tokens, 0)
  await clock.advance(1)
  await expect.poll(() => read).toEqual([true])
  expect([...asked].toSorted()).toEqual(tokens.toSorted())
  for (const path of paths) expect(`GET ${path} HTTP/1.1\r\n`.length).toBeLessThanOrEqual(SEGMENT_BYTES)
  closing.abort()
})
