import { expect, it } from 'vitest'
import { createMessageReader } from '#client/feed/messages.ts'
import { encodeDelta } from '#protocol/encodeDelta.ts'
import { encodeUpdate } from '#protocol/encodeUpdate.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

const TOKEN = addressOf(1)

const stateOf = (sequence: number) => encodeUpdate(snapshotOf(TOKEN, sequence, { name: `name ${sequence}`, pool: null })).update
const update = (sequence: number) => ({ ...stateOf(sequence), trades: null })

function delta(base: number, sequence: number): Record<string, unknown> {
  const bytes = encodeDelta(stateOf(base), stateOf(sequence), { trades: [], replacedFrom: null })
  return JSON.parse(new TextDecoder().decode(bytes ?? undefined)) as Record<string, unknown>
}

function readAll(...messages: readonly object[]) {
  const read = createMessageReader()
  return messages.map(message => read(JSON.stringify(message))).at(-1)
}

it('reads a delta as the update that it stands for', () => {
  expect(readAll(update(1), delta(1, 2))).toMatchObject({ ...stateOf(2), trades: [] })
  expect(readAll(update(1), delta(1, 2), delta(2, 3))).toMatchObject({ ...stateOf(3), trades: [] })
})

/* A wrong state would be shown, or an exception would end the connection. */
it.each([
  ['without a state before it', [delta(1, 2)]],
  ['of another state', [update(1), delta(2, 3)]],
  ['that does not fit together', [update(1), { ...delta(1, 2), sequence: 3 }]],
  ['whose result has not the promised shape', [update(1), { ...delta(1, 2), patch: { sequence: 2, name: 7 } }]],
  ['without its parts', [update(1), { type: 'token.delta', token: TOKEN, base: 1, sequence: 2 }]],
  ['with parts of other kinds', [update(1), { ...delta(1, 2), holders: { set: [null], removed: 7 } }]],
])('reports a delta %s as missed', (_, messages) => {
  expect(readAll(...messages)).toEqual({ type: 'missed', key: TOKEN })
})
