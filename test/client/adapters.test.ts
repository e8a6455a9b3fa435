import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { firstValueFrom, take, toArray } from 'rxjs'
import { expect, it } from 'vitest'
import { createTokenwire } from '#client/createTokenwire.ts'
import { createLive } from '#client/live/createLive.ts'
import { useCandles, useConnectionState, useList, useToken, useTrades } from '#client/react.ts'
import { connectionState, observe } from '#client/rxjs.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { ClientFixture, neverAnswers } from './clientFixture.ts'

const A = addressOf(1)

it('provides observables for RxJS', async () => {
  const fixture = await ClientFixture.start()
  try {
    const live = createLive(fixture.client())
    const events = firstValueFrom(observe(live.trades, { makers: [addressOf(7)] }).pipe(take(2), toArray()))
    await firstValueFrom(observe(live.trades, {}))
    fixture.service.trade([1, 8], [1, 7])
    expect(await events).toMatchObject([{ type: 'begin' }, { type: 'trades', cursor: '1-4' }])
    await expect(firstValueFrom(observe(live.list, { limit: 201 }))).rejects.toMatchObject({ code: 'rejected' })
    fixture.store(A, 1)
    const client = fixture.client({ fetch: neverAnswers })
    const states = firstValueFrom(connectionState(client).pipe(take(3), toArray()))
    const updates = firstValueFrom(observe(client.watch, A).pipe(take(2), toArray()))
    await firstValueFrom(observe(client.watch, A))
    fixture.commit(A, 2)
    expect((await updates).map(({ sequence }) => sequence)).toEqual([1, 2])
    expect(await states).toEqual(['offline', 'connecting', 'live'])
    const broken = firstValueFrom(observe(fixture.client({ maxConnections: 0 }).watch, A))
    await expect(broken).rejects.toMatchObject({ code: 'too_many_watches' })
  } finally {
    await fixture.stop()
  }
})

it('renders with React on a server from the initial state, without connecting', () => {
  const client = createTokenwire({ url: 'http://service.test' })
  const Price = () => {
    const state = useToken(client, A, tokenOf(A, 5))
    return createElement('p', null, `${state.data?.token.market.priceWeth} ${useConnectionState(client)}`)
  }
  const live = createLive(client)
  const Market = () => createElement('p', null, JSON.stringify([useList(live), useTrades(live), useCandles(live, { token: A })]))
  const waiting = JSON.stringify({ error: null, isLoading: true })
  expect(renderToString(createElement(Market))).toBe(`<p>[${[waiting, waiting, waiting].join(',')}]</p>`.replaceAll('"', '&quot;'))
  const Nothing = () => createElement('p', null, useToken(client, A).isLoading ? 'nothing' : 'something')
  expect(renderToString(createElement(Price))).toBe('<p>0.00000001234 connecting</p>')
  expect(renderToString(createElement(Nothing))).toBe('<p>nothing</p>')
  // The initial state of one token is not used for another.
  const Other = () => createElement('p', null, useToken(client, addressOf(2), tokenOf(A, 5)).isLoading ? 'nothing' : 'something')
  expect(renderToString(createElement(Other))).toBe('<p>nothing</p>')
  expect(client.state).toBe('offline')
  client.close()
})
