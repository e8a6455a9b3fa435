import { createOrm } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { dropKeptTables, hasKeptTables, readKeptTotals } from '#store/keptLogs.ts'
import { databaseCommand, databaseConfig } from './databaseCommand.ts'

/*
 * npm run db:logs: how many raw logs are kept (KEEP_LOGS), of which blocks, and what they take.
 * npm run db:logs -- drop: removes them. Stop the service first, or it only warns that it can't keep more until its next start.
 */

const MIB = 2 ** 20
const [action, ...more] = process.argv.slice(2)

if (more.length > 0 || (action !== undefined && action !== 'drop')) {
  process.stderr.write('usage: npm run db:logs, or npm run db:logs -- drop\n')
  process.exitCode = 1
} else {
  await databaseCommand(databaseConfig, async ({ url, logger }) => {
    const orm = createOrm(url, logger, { poolSize: 2, applicationName: 'tokenwire-logs' })
    const db = orm.em.getKysely<unknown>()
    try {
      await requireDatabase(db, { url, use: action === 'drop' ? 'index' : 'serve', logger })
      if (!(await hasKeptTables(db))) return 'No logs are kept.'
      const { logs, facts, from, to, bytes } = await readKeptTotals(db)
      const blocks = from === null ? '' : ` of blocks ${from} to ${to}`
      const text = `${logs} logs${blocks} and ${facts} senders and answers of contracts, ${(bytes / MIB).toFixed(1)} MiB`
      if (action !== 'drop') return `Kept: ${text}.`
      await dropKeptTables(db)
      return `Dropped: ${text}.`
    } finally {
      await orm.close(true)
    }
  })
}
