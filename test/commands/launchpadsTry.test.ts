import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Hex, parseEther } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { buyOnCurve, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

let chain: TestChain
let file: string
let [launched, bought]: Hex[] = []
let [token, creator, buyer]: Address[] = []

beforeAll(async () => {
  chain = await startTestChain()
  const folder = await makeTemporaryFolder()
  file = path.join(folder.path, 'mine.json')
  const { weth, launchpad: factory } = chain.deployment
  await writeFile(file, JSON.stringify({ weth, launchpads: [{ name: 'mine', adapter: 'bonding-curve', factory, startBlock: 0 }] }))
  ;[creator, buyer] = [chain.account(1), chain.account(2)]
  const receipt = await chain.mined(launch(chain, { from: creator, name: 'Mine', symbol: 'MINE', firstBuyWei: parseEther('0.01') }))
  const { token: made, curve } = readLaunched(receipt)
  token = made
  launched = receipt.transactionHash
  bought = (await chain.mined(buyOnCurve(chain, { from: buyer, curve, paidWei: parseEther('0.02') }))).transactionHash
})

const run = promisify(execFile)

async function tried(...args: readonly string[]) {
  const env = { PATH: process.env['PATH'], RPC_URLS: chain.anvil.url }
  const script = 'src/commands/launchpads.ts'
  return run(process.execPath, [script, 'try', ...args], { env }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { readonly code: number; readonly stderr: string }) => ({ code: error.code, text: error.stderr }),
  )
}

describe('npm run launchpads -- try', () => {
  it('prints what a file makes of a launch, and of a trade after it', async () => {
    const { code, text } = await tried(file, launched ?? '', bought ?? '')
    expect(code).toBe(0)
    const [ofLaunch = '', ofTrade = ''] = text.split(`${bought} in block`)
    expect(ofLaunch).toMatch(new RegExp(`log \\d+: launch of ${token} .*"creator":"${creator}","symbol":"MINE","name":"Mine"`))
    expect(ofLaunch).toMatch(/log \d+: trade of 0x.*"side":"buy".*"amountQuote":"10000000000000000"/)
    expect(ofTrade).toMatch(new RegExp(`log \\d+: trade of ${token} .*"amountQuote":"20000000000000000".*"maker":"${buyer}"`))
    expect(text).not.toContain('no event is mapped')
  })

  it('says that a trade alone is of no token that is known', async () => {
    const { code, text } = await tried(file, bought ?? '')
    expect([code, text]).toEqual([0, expect.stringContaining('give the transaction that launched it before this one')])
  })

  it.each([
    ['a transaction that nobody has', [`0x${'7'.repeat(64)}`], /^no provider knows the transaction 0x7+, or it is not mined yet\n$/],
    ['what is no transaction', ['0x12'], /^expected the hash of a transaction, 0x and 64 hex digits, got 0x12\n$/],
  ])('refuses %s', async (_, hashes, sentence) => {
    const { code, text } = await tried(file, ...hashes)
    expect([code, text]).toEqual([1, expect.stringMatching(sentence)])
  })

  it('says what is wrong with the file', async () => {
    const { code, text } = await tried(`${file}.absent`, launched ?? '')
    expect([code, text]).toEqual([1, expect.stringContaining('LAUNCHPADS_FILE')])
  })
})
