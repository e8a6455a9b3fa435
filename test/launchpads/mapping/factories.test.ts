import { expect, it } from 'vitest'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { ADAPTER_KINDS, createAdapters } from '#launchpads/registry.ts'
import { testAddress } from '#test/support/simulatedChain.ts'
import { DEAL, decoded, logOf, FACTORY as NEW, OTHER_FACTORY as OLD, ROUTER as STRANGER, WETH, WHO } from './mappedLaunchpad.ts'

// A launchpad that has replaced its factory was two launchpads, or one without its earlier tokens.

const EVENTS = {
  launch: {
    event: 'event Launch(address indexed token, address indexed by)',
    emitter: 'factory',
    token: 'token',
    creator: 'by',
    decimals: 18,
    name: { function: 'function nameOf(address token) view returns (string)', contract: 'factory', arguments: ['token'] },
  },
  trade: { ...DEAL, emitter: 'factory' },
}
const ENTRY = { name: 'mine', adapter: 'bonding-curve', factory: NEW, moreFactories: [OLD], startBlock: 1, events: EVENTS }
const parse = (...launchpads: readonly object[]) => parseLaunchpads(JSON.stringify({ weth: WETH, launchpads }), ADAPTER_KINDS)

it('one entry follows all factories of a launchpad, and calls the one that launched the token', () => {
  const parsed = parse(ENTRY)
  if (parsed.kind === 'invalid') throw new Error(parsed.problems.join())
  const logs = [NEW, OLD, STRANGER].flatMap((factory, index) => [
    logOf(factory, EVENTS.launch.event, testAddress(500 + index), WHO),
    logOf(factory, DEAL.event, testAddress(500 + index), WHO, 1n, 1n, 1n),
  ])
  const { events, malformed } = decoded(createAdapters(parsed.value), logs)
  expect(malformed).toEqual([])
  const launches = events.filter(event => event.kind === 'launch')
  expect(launches.map(({ token, unread }) => [token, unread?.calls.map(({ to }) => to)])).toEqual([
    [testAddress(500), [NEW]],
    [testAddress(501), [OLD]],
  ])
  expect(events.filter(({ kind }) => kind === 'trade').map(({ token }) => token)).toEqual([testAddress(500), testAddress(501)])
})

it.each([
  [{ ...ENTRY, moreFactories: [] }, 'launchpads[0].moreFactories: expected a list of addresses, each 0x and 40 hex digits'],
  [{ ...ENTRY, moreFactories: [NEW] }, `launchpads[0].factory: ${NEW} is the factory of launchpads[0] already`],
  [
    {
      ...ENTRY,
      events: {
        ...EVENTS,
        claimCall: { function: 'function claim(address token)', contract: 'factory', arguments: ['token'] },
      },
    },
    'launchpads[0].events.claimCall.contract: expected one contract that pays all creators, got "factory", of which there are several',
  ],
])('refuses factories that are none, repeated, or all asked to pay (%#)', (entry, problem) => {
  expect(parse(entry)).toMatchObject({ kind: 'invalid', problems: [expect.stringContaining(problem)] })
})

it('refuses a factory of another entry', () => {
  const other = { ...ENTRY, name: 'other', factory: STRANGER }
  expect(parse(ENTRY, other)).toEqual({
    kind: 'invalid',
    problems: [`launchpads[1].factory: ${OLD} is the factory of launchpads[0] already`],
  })
})
