import assert from 'node:assert/strict'
import { headerHash, parseHeader } from '#rpc/header.ts'
import { GENESIS_HEADER } from '#test/support/genesisHeader.ts'
import type { MicroBenchmark, MicroTask } from './microBenchmark.ts'

export const headerHashBenchmark: MicroBenchmark = {
  name: 'prove a header',
  about: 'computes the hash of a header of 15 fields (Frontier) or 21 (Prague), and parses a header with it',
  tasks: () => [hash('hash of 15 fields', GENESIS_HEADER), hash('hash of 21 fields', PRAGUE), parse()],
}

const word = (byte: string) => `0x${byte.repeat(32)}`

const UNHASHED = {
  ...GENESIS_HEADER,
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

function hash(name: string, header: typeof GENESIS_HEADER | typeof PRAGUE): MicroTask {
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
