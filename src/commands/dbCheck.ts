import { loadConfig } from '#configuration/loadConfig.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { readBlockTimes } from '#store/rows/cursor.ts'
import { connectChain } from '#worker/connectChain.ts'
import { findWrongBlock, wrongBlockSentence } from '#worker/openIndexing.ts'
import { databaseCommand, onIndex } from './databaseCommand.ts'

/*
 * npm run db:check -- [block]: compares the hash and time of every stored block that has trades, from the given one on, with the chain.
 * Names the first wrong one, with exit code 1. The service may run meanwhile.
 */

const BLOCKS_AT_ONCE = 2_000

const from = Number(process.argv[2] ?? 0)
if (!Number.isSafeInteger(from) || from < 0 || process.argv.length > 3) {
  process.stderr.write('usage: npm run db:check -- [first block]\n')
  process.exitCode = 1
} else {
  const load = () => loadConfig(process.env, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS })
  await databaseCommand(load, async ({ url, config, logger }) => {
    const chain = await connectChain(config, logger)
    try {
      return await onIndex({ url, applicationName: 'tokenwire-check', logger }, async db => {
        let checked = 0
        for (let next = from; ; ) {
          const blocks = await readBlockTimes(db, next, BLOCKS_AT_ONCE)
          const wrong = await findWrongBlock(chain.source, blocks)
          if (wrong !== null) {
            process.exitCode = 1
            return wrongBlockSentence(wrong)
          }
          checked += blocks.length
          const last = blocks.at(-1)
          if (last === undefined) return `${checked} stored blocks are as the chain shows them.`
          logger.info({ block: last.number, checked }, 'checked')
          next = last.number + 1
        }
      })
    } finally {
      chain.rpc.close()
    }
  })
}
