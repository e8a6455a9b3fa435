import { describe, expect, it } from 'vitest'
import { parseLogs } from '#chain/logs/parseLogs.ts'
import { createSimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

const chain = createSimulatedChain()
const block = chain.mine([
  { address: testAddress(1), topics: [`0x${'AB'.repeat(32)}`], data: '0xAbCd' },
  { address: testAddress(2), topics: [], data: '0x' },
])
const rawLogs = chain.answer('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x1' }]) as Record<string, unknown>[]
const rawLog = rawLogs[0] ?? {}
const [first, second] = block.logs
const parsed = [{ ...first, topics: [`0x${'ab'.repeat(32)}`], data: '0xabcd' }, second]

describe('parseLogs', () => {
  it('reads logs, hex in lower case', () => {
    expect(parseLogs(rawLogs)).toEqual(parsed)
  })

  it('refuses a log that was removed', () => {
    expect(() => parseLogs([{ ...rawLog, removed: true }])).toThrow('contradiction: a log is marked as removed')
  })

  it.each([
    ['address', '0x12'],
    ['topics', 'none'],
    ['topics', ['0x12']],
    ['topics', Array.from({ length: 5 }, () => `0x${'00'.repeat(32)}`)],
    ['data', '0x123'],
    ['data', null],
    ['blockHash', null],
    ['blockHash', '0x'],
    ['transactionHash', '0x'],
    ['blockNumber', null],
    ['logIndex', '-0x1'],
    ['transactionHash', undefined],
    ['blockNumber', '0x'],
    ['blockNumber', '0xfffffffffffffff'],
    ['data', undefined],
    ['address', 7],
    ['topics', [7]],
  ])('refuses a %s of %j', (field, value) => {
    expect(() => parseLogs([{ ...rawLog, [field]: value }])).toThrow('not an answer')
  })

  it('reads null as no logs', () => {
    expect(parseLogs(null)).toEqual([])
  })

  // A block with one such log, of any contract, was refused for good.
  it('reads null as no topics', () => {
    expect(parseLogs([{ ...rawLog, topics: null }])).toEqual(parseLogs([{ ...rawLog, topics: [] }]))
  })

  it('refuses what is no list', () => {
    expect(() => parseLogs({})).toThrow('not a list')
    expect(() => parseLogs([null])).toThrow('not an object')
  })

  it('reads a log with a megabyte of data', () => {
    const data = `0x${'5a'.repeat(1_000_000)}`
    expect(parseLogs([{ ...rawLog, data }])[0]?.data).toBe(data)
  })

  it('ignores members that it does not know', () => {
    expect(parseLogs([{ ...rawLog, blockTimestamp: '0x1', unknown: { nested: [] } }])).toEqual([parsed[0]])
  })

  it('reads the same hex in capitals after it was read in small letters', () => {
    const shouting = { ...rawLog, address: String(rawLog['address']).toUpperCase().replace('0X', '0x') }
    expect(parseLogs([rawLog, shouting, rawLog]).map(({ address }) => address)).toEqual([first?.address, first?.address, first?.address])
  })
})
