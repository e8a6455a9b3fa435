import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLogs } from '#chain/logs/rawLogs.ts'
import { JsonText } from '#rpc/jsonText.ts'
import { RpcError } from '#rpc/rpcFault.ts'
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

const textOf = (text: string) => new JsonText(Buffer.from(text))

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
  ])('refuses a %s of %j', (field, value) => {
    expect(() => parseLogs([{ ...rawLog, [field]: value }])).toThrow('not an answer')
  })

  it('refuses what is no list', () => {
    expect(() => parseLogs({})).toThrow('not a list')
    expect(() => parseLogs([null])).toThrow('not an object')
  })

  it('reads a log with a megabyte of data', () => {
    const data = `0x${'5a'.repeat(1_000_000)}`
    expect(parseLogs([{ ...rawLog, data }])[0]?.data).toBe(data)
  })

  it('reads the same hex in capitals after it was read in small letters', () => {
    const shouting = { ...rawLog, address: String(rawLog['address']).toUpperCase().replace('0X', '0x') }
    expect(parseLogs([rawLog, shouting, rawLog]).map(({ address }) => address)).toEqual([first?.address, first?.address, first?.address])
  })
})

describe('logs in a text', () => {
  it('are read however the text is laid out', () => {
    const { address, ...rest } = rawLog
    const log = JSON.stringify({ unknown: { nested: ['}', '"', { a: [] }] }, removed: false, ...rest, address }, null, '\t ')
    expect(parseLogs(textOf(`\n [ ${log} , ${log}\r\n]\t`))).toEqual([parsed[0], parsed[0]])
    expect(parseLogs(textOf('[]'))).toEqual([])
  })

  it.each([
    ['[', 'not an answer'],
    ['[{}]', 'not an answer'],
    ['[{]', 'not an answer'],
    ['[{"address"}]', 'not an answer'],
    ['[{"address":}]', 'not an answer'],
    ['[,]', 'not an object'],
    ['', 'not a list'],
  ])('are not read from %j', (text, message) => {
    expect(() => parseLogs(textOf(text))).toThrow(message)
  })

  it('are not read past the end of the list', () => {
    const text = JSON.stringify(rawLogs)
    expect(() => parseLogs(new JsonText(Buffer.from(text), 0, text.length - 1))).toThrow('not a list')
  })

  // The reader goes through bytes by itself. Whatever is done to them, it finds what JSON.parse finds or refuses the answer. No escapes: what does not
  // matter is passed over, without a look at them.
  it('are those that parsing gives, or none', () => {
    const text = JSON.stringify(rawLogs)
    const edits = fc.array(fc.tuple(fc.nat(text.length - 1), fc.constantFrom(...'"{}[],:0xXaAg ', '')), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(edits, changes => {
        const broken = [...text]
        for (const [at, with_] of changes) broken[at] = with_
        const edited = broken.join('')
        const found = attempt(() => parseLogs(textOf(edited)))
        if (found !== null) expect(found).toEqual(parseLogs(JSON.parse(edited)))
      }),
      { numRuns: 3_000 },
    )
  })
})

function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return null
  }
}
