import assert from 'node:assert/strict'
import type { MicroBenchmark, MicroTask } from '#benchmarks/micro/microBenchmark.ts'
import { headerHash } from '#rpc/headerHash.ts'
import { parseHeader } from '#rpc/parseHeader.ts'

export const headerHashBenchmark: MicroBenchmark = {
  name: 'prove a header',
  about: 'computes the hash of a header of 15 fields (Frontier) or 21 (Prague), and parses a header with it',
  tasks: () => [hash('hash of 15 fields', FRONTIER), hash('hash of 21 fields', PRAGUE), parse()],
}

const word = (byte: string) => `0x${byte.repeat(32)}`

/** Block 0 of Ethereum. Source: the chain itself; its hash is in every client. */
const FRONTIER = {
  number: '0x0',
  hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  parentHash: word('00'),
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: `0x${'00'.repeat(20)}`,
  stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  receiptsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  logsBloom: `0x${'00'.repeat(256)}`,
  difficulty: '0x400000000',
  gasLimit: '0x1388',
  gasUsed: '0x0',
  timestamp: '0x0',
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  mixHash: word('00'),
  nonce: '0x0000000000000042',
}

const UNHASHED = {
  ...FRONTIER,
  number: '0x1600000',
  parentHash: word('a1'),
  logsBloom: `0x${'5c'.repeat(256)}`,
  gasUsed: '0xe4e1c0',
  timestamp: '0x68000000',
  baseFeePerGas: '0x3b9aca00',
  withdrawalsRoot: word('b2'),
  blobGasUsed: '0x60000',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: word('c3'),
  requestsHash: word('d4'),
}
const PRAGUE = { ...UNHASHED, hash: headerHash(UNHASHED) }

function hash(name: string, header: typeof FRONTIER | typeof PRAGUE): MicroTask {
  return {
    name,
    batch: 10,
    check: () => assert.equal(headerHash(header), header.hash),
    run: () => headerHash(header),
  }
}

function parse(): MicroTask {
  return {
    name: 'parse, 21 fields',
    batch: 10,
    base: 'hash of 21 fields',
    check: () => assert.equal(parseHeader(PRAGUE, 'a block').isProven, true),
    run: () => parseHeader(PRAGUE, 'a block'),
  }
}
