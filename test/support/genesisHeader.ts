/** Block 0 of Ethereum. Source: the chain itself; its hash is in every client. */
export const GENESIS_HEADER = {
  number: '0x0',
  hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  parentHash: `0x${'00'.repeat(32)}`,
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
  mixHash: `0x${'00'.repeat(32)}`,
  nonce: '0x0000000000000042',
}
