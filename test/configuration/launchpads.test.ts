import { describe, expect, it } from 'vitest'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { toAddress } from '#domain/address.ts'

const KNOWN = { 'bonding-curve': { contracts: ['factory'] }, escrowed: { contracts: ['factory', 'locker'] } }
const WETH = '0x4200000000000000000000000000000000000006'
const A = `0x${'aA'.repeat(20)}`
const B = `0x${'b'.repeat(40)}`
const CURVE = { name: 'mine', adapter: 'bonding-curve', factory: A, startBlock: 0 }
const ESCROWED = { name: 'theirs', adapter: 'escrowed', factory: B, locker: A, startBlock: 7 }

const read = (file: unknown) => parseLaunchpads(JSON.stringify(file), KNOWN)

function problems(text: string): readonly string[] {
  const result = parseLaunchpads(text, KNOWN)
  return result.kind === 'valid' ? [] : result.problems
}

const PRESET = { public: { contracts: ['factory', 'locker'], presets: { factory: toAddress(A), locker: toAddress(B) } } }
const readPublic = (weth: string, ...launchpads: readonly unknown[]) => parseLaunchpads(JSON.stringify({ weth, launchpads }), PRESET)

describe('the public addresses of an adapter', () => {
  const bare = { name: 'mine', adapter: 'public', startBlock: 3 }

  it('fill in what an entry on Base leaves out, and an address of its own wins', () => {
    const own = `0x${'c'.repeat(40)}`
    const contractsOf = (entry: object) => {
      const result = readPublic(WETH, entry)
      return result.kind === 'valid' ? result.value.launchpads[0]?.contracts : result.problems
    }
    expect(contractsOf(bare)).toEqual({ factory: A.toLowerCase(), locker: B })
    expect(contractsOf({ ...bare, locker: own })).toEqual({ factory: A.toLowerCase(), locker: own })
  })

  it('may stay away on any chain where the factory returns them', () => {
    const derived = { public: { ...PRESET.public, derivedContracts: { locker: [['locker()']] } } }
    const text = JSON.stringify({ weth: A, launchpads: [{ name: 'p', adapter: 'public', startBlock: 0, factory: B }] })
    expect(parseLaunchpads(text, derived)).toMatchObject({
      kind: 'valid',
      value: { launchpads: [{ contracts: { factory: B.toLowerCase() } }] },
    })
    const parsed = parseLaunchpads(text, derived)
    expect(parsed.kind === 'valid' && Object.keys(parsed.value.launchpads[0]?.contracts ?? {})).toEqual(['factory'])
  })

  it('fill in nothing where the WETH is not that of Base', () => {
    expect(readPublic(B, { ...bare, factory: A })).toEqual({
      kind: 'invalid',
      problems: [
        `launchpads[0].locker: missing, expected an address, 0x and 40 hex digits: only on Base it may be left out, whose weth is ${WETH}`,
      ],
    })
  })

  it('count when two entries name one factory', () => {
    expect(readPublic(WETH, bare, { ...bare, name: 'other' })).toMatchObject({ kind: 'invalid' })
  })
})

const problemsOf = (...launchpads: readonly unknown[]) => problems(JSON.stringify({ weth: WETH, launchpads }))

const DECIMALS = 'expected how many decimals the currency has, a whole number from 0 to 36'

describe('parseLaunchpads', () => {
  it('takes the contracts of an entry by the names of its adapter, in lower case', () => {
    expect(read({ $schema: './x.json', weth: WETH.toUpperCase().replace('X', 'x'), launchpads: [CURVE, ESCROWED] })).toEqual({
      kind: 'valid',
      value: {
        weth: WETH,
        launchpads: [
          { name: 'mine', adapter: 'bonding-curve', startBlock: 0, contracts: { factory: A.toLowerCase() } },
          { name: 'theirs', adapter: 'escrowed', startBlock: 7, contracts: { factory: B, locker: A.toLowerCase() } },
        ],
      },
    })
  })

  it('takes the currencies that are pegged', () => {
    const pegUsd = [{ token: A, decimals: 6 }]
    expect(read({ weth: WETH, pegUsd, launchpads: [CURVE] })).toMatchObject({
      value: { pegUsd: [{ token: A.toLowerCase(), decimals: 6 }] },
    })
  })

  it('reads a file with a byte order mark', () => {
    expect(parseLaunchpads(`\uFEFF${JSON.stringify({ weth: WETH, launchpads: [CURVE] })}`, KNOWN)).toMatchObject({ kind: 'valid' })
  })

  it.each([
    [[], 'expected an object with weth and launchpads, got []'],
    [{ launchpads: [CURVE] }, 'weth: missing, expected an address, 0x and 40 hex digits'],
    [{ weth: WETH }, 'launchpads: missing, expected a list of at least one launchpad'],
    [{ weth: WETH, launchpads: [] }, 'launchpads: expected a list of at least one launchpad, got []'],
    [{ weth: WETH, launchpads: {} }, 'launchpads: expected a list of at least one launchpad, got {}'],
    [{ weth: 7, launchpads: [CURVE] }, 'weth: expected an address, 0x and 40 hex digits, got 7'],
    [{ weth: WETH, pegUsd: A, launchpads: [CURVE] }, `pegUsd: expected a list of currencies, each with token and decimals, got "${A}"`],
    [{ weth: WETH, pegUsd: [{ token: A }], launchpads: [CURVE] }, `pegUsd[0].decimals: missing, ${DECIMALS}`],
    [{ weth: WETH, pegUsd: [{ token: A, decimals: 37 }], launchpads: [CURVE] }, `pegUsd[0].decimals: ${DECIMALS}, got 37`],
    [{ weth: WETH, pegUsd: [{ token: WETH, decimals: 18 }], launchpads: [CURVE] }, 'pegUsd[0].token: expected a stablecoin, got ether'],
    [
      { weth: WETH, pegUsd: [B, B.toUpperCase().replace('X', 'x')].map(token => ({ token, decimals: 6 })), launchpads: [CURVE] },
      `pegUsd[1].token: ${B} is pegged by pegUsd[0] already`,
    ],
    [{ weth: WETH, launchpads: [CURVE], wallet: A }, 'wallet: unknown, expected only $schema, weth, pegUsd and launchpads'],
  ])('refuses the file %j', (file, problem) => {
    expect(read(file)).toEqual({ kind: 'invalid', problems: [problem] })
  })

  it.each([
    [4, '', 'expected a launchpad, got 4'],
    [{ ...CURVE, adapter: undefined }, '.adapter', 'missing, expected one of bonding-curve, escrowed'],
    [{ ...CURVE, adapter: 'constructor' }, '.adapter', 'expected one of bonding-curve, escrowed, got "constructor"'],
    [{ ...CURVE, factory: '0x12' }, '.factory', 'expected an address, 0x and 40 hex digits, got "0x12"'],
    [{ ...ESCROWED, locker: undefined }, '.locker', 'missing, expected an address, 0x and 40 hex digits'],
    [{ ...CURVE, locker: A }, '.locker', 'unknown, an entry with adapter "bonding-curve" has only name, adapter, startBlock, factory'],
    [{ ...CURVE, events: {} }, '.events', 'unknown, an entry with adapter "bonding-curve" has only name, adapter, startBlock, factory'],
    [{ ...CURVE, name: '' }, '.name', 'expected a name of 1 to 64 letters, digits, dots, dashes or underscores, got ""'],
    [{ ...CURVE, startBlock: -1 }, '.startBlock', 'expected a block number, a whole number from 0, got -1'],
    [{ ...CURVE, startBlock: 1.5 }, '.startBlock', 'expected a block number, a whole number from 0, got 1.5'],
    [{ ...CURVE, startBlock: 1e300 }, '.startBlock', 'expected a block number, a whole number from 0, got 1e+300'],
    [{ ...CURVE, startBlock: '1' }, '.startBlock', 'expected a block number, a whole number from 0, got "1"'],
    [{ ...CURVE, startBlock: undefined }, '.startBlock', 'missing, expected a block number, a whole number from 0'],
    [CURVE, '.name', '"mine" is the name of launchpads[0] already'],
    [{ ...CURVE, name: 'other', factory: A.toLowerCase() }, '.factory', `${A.toLowerCase()} is the factory of launchpads[0] already`],
  ])('refuses the entry %j', (entry, place, problem) => {
    expect(problemsOf(CURVE, ESCROWED, entry)).toContain(`launchpads[2]${place}: ${problem}`)
  })

  it('lists every problem of a file', () => {
    expect(problemsOf({ ...CURVE, factory: null, startBlock: null }, { ...ESCROWED, name: 5 })).toHaveLength(3)
  })

  it('shortens a long value', () => {
    const [problem = ''] = problemsOf({ ...CURVE, factory: 'x'.repeat(10_000) })
    expect(problem.length).toBeLessThan(200)
  })

  it.each([
    ['', 'line 1, column 1: expected a value, found the end of the file'],
    ['{\n  "weth": "0x', 'line 2, column 11: expected a string that ends in its line, with valid escapes, found "\\""'],
    [`{\n  "weth": "${WETH}"\n  "launchpads": []\n}`, 'line 3, column 3: expected "," or "}", found "\\""'],
    [`{ "weth": "${WETH}", }`, 'line 1, column 55: "," before "}"'],
    ['{\n  // which chain\n}', 'line 2, column 3: expected a key in double quotes, found "/"'],
    ['{\n  "weth": /* Base */ 1\n}', 'line 2, column 11: JSON has no comments'],
    [`{\r\n  weth: 1 }`, 'line 2, column 3: expected a key in double quotes, found "w"'],
    ['{ "launchpads": [01] }', 'line 1, column 18: expected a value, found "0"'],
    ['{ "launchpads": [truely] }', 'line 1, column 18: expected a value, found "t"'],
    ['{} {}', 'line 1, column 4: expected the end of the file'],
    ['{ "a": 1,\n  "a": 2 }', 'line 2, column 3: "a" is given twice'],
    ['{ "a" 1 }', 'line 1, column 7: expected ":", found "1"'],
  ])('says where %j is not JSON', (text, problem) => {
    expect(problems(text)).toEqual([problem])
  })

  it('survives nesting that would overflow the stack', () => {
    expect(problems('['.repeat(1_000_000))).toEqual(['line 1, column 102: nested too deeply'])
  })
})
