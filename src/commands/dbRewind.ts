import { migrate } from '#store/migrations/migrate.ts'
import { type RewindTarget, rewind } from '#store/rewind.ts'
import { databaseCommand, databaseConfig } from './databaseCommand.ts'

/*
 * npm run db:rewind -- <block>: undoes the block, earlier ones that were committed with it, and all later ones. The service indexes them
 * anew at its next start.
 * npm run db:rewind -- start: the same for all blocks.
 */

const USAGE = 'usage: npm run db:rewind -- <block>, or start for all blocks'

function parseTarget(argument: string | undefined): RewindTarget | null {
  if (argument === 'start') return 'start'
  return argument !== undefined && /^\d{1,15}$/.test(argument) ? Number(argument) : null
}

const target = parseTarget(process.argv[2])
if (target === null || process.argv.length > 3) {
  process.stderr.write(`${USAGE}\n`)
  process.exitCode = 1
} else {
  await databaseCommand(databaseConfig, async ({ url, logger }) => {
    await migrate(url, logger)
    const cursor = await rewind(url, target, logger)
    return cursor === null ? 'Nothing is indexed now.' : `The newest indexed block is ${cursor.number} now.`
  })
}
