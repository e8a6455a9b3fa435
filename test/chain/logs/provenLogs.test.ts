import pino from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { type ChainSource, createChainSource } from '#chain/chainSource.ts'
import { startAnvil } from '#devchain/anvil.ts'
import { createDevClient } from '#devchain/client.ts'
import type { Address, Hex } from '#domain/address.ts'
import { createRpc, type Rpc } from '#rpc/rpc.ts'

/** More than 128, from where on keys of the trie have two bytes. */
const TRANSACTIONS = 140
/** What no block of the chain has. */
const FORGED = `0x${'f0'.repeat(32)}` as const

type Result = Record<string, unknown>
/** Changes the answer to one call in place; a text refuses the call. */
type Forge = (method: string, result: unknown) => undefined | string

let emitter: Address
const rpcs: Rpc[] = []

const anvil = await startAnvil({ network: 'optimism' })
await speak()

afterAll(async () => {
  for (const rpc of rpcs) rpc.close()
  await anvil?.stop()
})

/** The amount of the fourth log, where all logs are answered from. */
const forgeData: Forge = (method, result) => {
  if (method !== 'eth_getLogs' && method !== 'eth_getBlockReceipts') return undefined
  const log = logsOf(result)[3]
  if (log !== undefined) log['data'] = FORGED
  return undefined
}
const ALL = [...Array.from({ length: TRANSACTIONS }, (_, index) => index), 2, 3, 4]

describe('logs that receipts prove', () => {
  it('are all logs of a block, of transactions of every type', async () => {
    const { logs } = await sourceOver(null, { provesLogs: true }).blockWithLogs(1)
    expect(dataOf(logs)).toEqual(ALL.slice(0, TRANSACTIONS))
    expect(logs.map(({ logIndex }) => logIndex)).toEqual(logs.map((_, index) => index))
    expect(logs.map(({ txIndex }) => txIndex)).toEqual(logs.map((_, index) => index))
    await expect(sourceOver(null, { provesLogs: false }).blockWithLogs(1)).resolves.toMatchObject({ logs })
  })

  it('are all logs of a range', async () => {
    expect(dataOf(await rangeOf(sourceOver(null, { provesLogs: true })))).toEqual(ALL)
  })

  it('come one by one from a provider that does not have them by block', async () => {
    const forge: Forge = method => (method === 'eth_getBlockReceipts' ? 'the method does not exist' : undefined)
    const source = sourceOver(forge, { provesLogs: true })
    expect(dataOf((await source.blockWithLogs(1)).logs)).toEqual(ALL.slice(0, TRANSACTIONS))
    expect(dataOf(await rangeOf(source))).toEqual(ALL)
  })
})

it('takes receipts one by one also where they have the hash of their block in capitals', async () => {
  const forge: Forge = (method, result) => {
    if (method === 'eth_getTransactionReceipt')
      Object.assign(result as Result, {
        blockHash: `0x${String((result as Result)['blockHash'])
          .slice(2)
          .toUpperCase()}`,
      })
    return method === 'eth_getBlockReceipts' ? 'the method does not exist' : undefined
  }
  expect(dataOf((await sourceOver(forge, { provesLogs: true }).blockWithLogs(1)).logs)).toEqual(ALL.slice(0, TRANSACTIONS))
})

describe('a provider that forges the amount of a log under a true header', () => {
  it('is believed where only the bloom is checked', async () => {
    const source = sourceOver(forgeData, { provesLogs: false })
    expect((await source.blockWithLogs(1)).logs[3]?.data).toBe(FORGED)
    expect((await rangeOf(source))[3]?.data).toBe(FORGED)
  })

  it('is refused, and named', async () => {
    const source = sourceOver(forgeData, { provesLogs: true })
    await expect(source.blockWithLogs(1)).rejects.toThrow('rpc-1: contradiction: the receipts of block 1 do not have the root')
    await expect(rangeOf(source)).rejects.toMatchObject({ provider: 'rpc-1', fault: { kind: 'inconsistent' } })
  })

  it('gives way to an honest one', async () => {
    const source = sourceOver(forgeData, { provesLogs: true, honest: true })
    expect(dataOf((await source.blockWithLogs(1)).logs)).toEqual(ALL.slice(0, TRANSACTIONS))
    expect(dataOf(await rangeOf(source))).toEqual(ALL)
    expect(source.rpc.health()[0]?.errorRate).toBeGreaterThan(0)
  })
})

const lies: readonly (readonly [what: string, change: (receipts: Result[]) => void])[] = [
  ['a log less', receipts => void Object.assign(receipts[2] ?? {}, { logs: [] })],
  ['a receipt less', receipts => void receipts.pop()],
  ['two receipts in each other’s place', receipts => void receipts.splice(4, 2, receipts[5] ?? {}, receipts[4] ?? {})],
  ['another gas', receipts => void Object.assign(receipts[7] ?? {}, { cumulativeGasUsed: '0x1' })],
  ['a failed transaction', receipts => void Object.assign(receipts[7] ?? {}, { status: '0x0' })],
  ['another type', receipts => void Object.assign(receipts[7] ?? {}, { type: '0x4' })],
  ['no deposit nonce', receipts => void delete receipts[0]?.['depositNonce']],
]

it.each(lies)('refuses receipts with %s', async (_, change) => {
  const forge: Forge = (method, result) => {
    if (method === 'eth_getBlockReceipts') change(result as Result[])
    return undefined
  }
  await expect(sourceOver(forge, { provesLogs: true }).blockWithLogs(1)).rejects.toMatchObject({ code: 'rpc_inconsistent' })
})

it('refuses receipts that do not have the root of their header', async () => {
  const forge: Forge = (method, result) => {
    if (method.startsWith('eth_getBlockBy')) Object.assign(result as Result, { receiptsRoot: FORGED })
    return undefined
  }
  await expect(sourceOver(forge, { provesLogs: true }).blockWithLogs(1)).rejects.toThrow('do not have the root that its header states')
})

// Some nodes number the logs of receipts differently: the block could not be followed, and its range was refused.
it('compares logs with receipts whatever their indexes', async () => {
  const forge: Forge = (method, result) => {
    if (method === 'eth_getBlockReceipts')
      for (const log of logsOf(result)) log['logIndex'] = `0x${(Number(log['logIndex']) + 5).toString(16)}`
    if (method.startsWith('eth_getBlockBy')) Object.assign(result as Result, { logsBloom: null })
    return undefined
  }
  const source = sourceOver(forge, { provesLogs: false })
  expect((await source.blockWithLogs(1)).logs.map(({ logIndex }) => logIndex)).toEqual(ALL.slice(0, TRANSACTIONS))
  expect(dataOf(await rangeOf(sourceOver(forge, { provesLogs: true })))).toEqual(ALL)
})

it('refuses logs of a range in another order than that of their receipts', async () => {
  const forge: Forge = (method, result) => {
    if (method === 'eth_getLogs') for (const log of logsOf(result).slice(0, 2)) log['logIndex'] = log['logIndex'] === '0x0' ? '0x1' : '0x0'
    return undefined
  }
  await expect(rangeOf(sourceOver(forge, { provesLogs: true }))).rejects.toThrow('or in another order')
})

// Indexing stopped at the first followed block with logs, also where receipts prove them.
describe.each([
  ['zero', `0x${'00'.repeat(256)}`],
  ['all ones', `0x${'ff'.repeat(256)}`],
  ['absent', null],
  // As Filecoin's nodes show the bloom of a block with logs.
  ['empty', '0x'],
])('where blooms are %s', (_, logsBloom) => {
  const forge: Forge = (method, result) => {
    if (method.startsWith('eth_getBlockBy')) Object.assign(result as Result, { logsBloom })
    return undefined
  }

  it.each([false, true])('receipts with the root of the header show all logs at once (VERIFY_LOGS=receipts: %s)', async provesLogs => {
    const source = sourceOver(forge, { provesLogs })
    expect(dataOf((await source.blockWithLogs(1)).logs)).toEqual(ALL.slice(0, TRANSACTIONS))
    expect((await source.blockWithLogs(0)).logs).toEqual([])
  })
})

it('takes the logs of the receipts where a provider does not know the logs of its newest block yet', async () => {
  const forge: Forge = (method, result) => {
    if (method === 'eth_getLogs') (result as Result[]).splice(0)
    return undefined
  }
  const source = sourceOver(forge, { provesLogs: false })
  expect(dataOf((await source.blockWithLogs(1)).logs)).toEqual(ALL.slice(0, TRANSACTIONS))
})

/** A chain source over a provider that forges and, where asked for, an honest one after it. */
function sourceOver(forge: Forge | null, options: { readonly provesLogs: boolean; readonly honest?: boolean }): ChainSource & { rpc: Rpc } {
  const fetchForged: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = await request.text()
    const response = await fetch(anvil.url, { method: 'POST', headers: request.headers, body })
    if (forge === null || new URL(request.url).pathname !== '/liar') return response
    const calls = [JSON.parse(body)].flat() as { readonly id: number; readonly method: string }[]
    const answer = (await response.json()) as Result | Result[]
    const forged = [answer].flat().map(one => {
      const refusal = forge(calls.find(({ id }) => id === one['id'])?.method ?? '', one['result'])
      return refusal === undefined ? one : { jsonrpc: '2.0', id: one['id'], error: { code: -32601, message: refusal } }
    })
    return Response.json(Array.isArray(answer) ? forged : forged[0])
  }
  const urls = [`${anvil.url}/liar`, ...(options.honest === true ? [`${anvil.url}/honest`] : [])]
  const rpc = createRpc({ urls, chainId: 31_337, logger: pino({ level: 'silent' }), fetch: fetchForged })
  rpcs.push(rpc)
  return { ...createChainSource({ rpc, provesLogs: options.provesLogs }), rpc }
}

function logsOf(result: unknown): Result[] {
  return (result as readonly Result[]).flatMap(one => ('logs' in one ? (one['logs'] as Result[]) : [one]))
}

async function rangeOf(source: ChainSource, to = 4) {
  const end = await source.header(4)
  const { logs } = await source.logsInRange({ from: 1, to, end, addresses: [emitter], maxLogs: 1e9 })
  return logs
}

function dataOf(logs: readonly { readonly data: Hex }[]) {
  return logs.map(({ data }) => Number(data))
}

/** A block with transactions of every type, each of which has one log with its number, and three of one transaction. */
async function speak(): Promise<void> {
  // Logs one topic and the call's first word as data.
  const bytecode = '0x6000356000527faaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa60206000a100'
  const client = createDevClient(anvil.url)
  const accounts = await client.getAddresses()
  emitter = '0x00000000000000000000000000000000000e3177' as Address
  await client.setCode({ address: emitter, bytecode })
  const send = (index: number, fields: Result) => {
    const data = `0x${index.toString(16).padStart(64, '0')}`
    const transaction = { from: accounts[index % accounts.length], to: emitter, gas: '0xea60', data, ...fields }
    return client.request({ method: 'eth_sendTransaction', params: [transaction] } as never)
  }
  const gasPrice = '0x77359400'
  await send(0, { type: '0x7e', sourceHash: `0x${'11'.repeat(32)}`, mint: '0x0', isSystemTx: false })
  for (let index = 1; index < TRANSACTIONS; index++) {
    await send(index, [{ type: '0x0', gasPrice }, { type: '0x1', gasPrice, accessList: [] }, { type: '0x2' }][index % 3] ?? {})
  }
  await client.mine({ blocks: 1 })
  for (let block = 2; block <= 4; block++) {
    await send(block, {})
    await client.mine({ blocks: 1 })
  }
}
