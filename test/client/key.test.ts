import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTokenwire } from '#client/createTokenwire.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { addressOf } from '#test/support/snapshots.ts'

const KEY = `tw_${'k'.repeat(43)}`

test('sends the key with REST calls, WebSockets and event streams', async () => {
  const fixture = await RealtimeFixture.start({ apiKeys: [{ name: 'page', sha256: hash('sha256', KEY) }] })
  const snapshot = fixture.store(addressOf(1), 7)
  fixture.show(snapshot)
  try {
    const used = () => fixture.admission.keys.find(KEY)?.usage()
    const { url } = fixture.gateway
    const first = createTokenwire({ url, apiKey: KEY })
    expect((await first.token(addressOf(1))).ok).toBe(true)
    for await (const { source } of first.watch(addressOf(1))) if (source === 'webSocket') break
    expect(used()).toMatchObject({ openedConnections: 1 })
    first.close()
    const blocked = class {
      onclose: ((event: { readonly code: number }) => void) | null = null
      constructor() {
        queueMicrotask(() => this.onclose?.({ code: 1006 }))
      }
    }
    const second = createTokenwire({ url, apiKey: KEY, WebSocket: blocked as never, random: () => 0 })
    for await (const { source } of second.watch(addressOf(1))) if (source === 'eventStream') break
    second.close()
    expect(used()).toMatchObject({ openedConnections: 2 })
    const wrong = createTokenwire({ url, apiKey: 'wrong' })
    expect(await wrong.token(addressOf(1))).toMatchObject({ ok: false, error: { code: 'rejected' } })
    wrong.close()
  } finally {
    await fixture.stop()
  }
})
