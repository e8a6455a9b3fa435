import { schemaName } from '#configuration/settingTypes.ts'
import { switchSchema } from '#store/switchSchema.ts'
import { databaseCommand, databaseConfig } from './databaseCommand.ts'

/* npm run db:switch -- <schema>: makes the index in that schema the one that processes without SCHEMA serve. */

const given = schemaName.safeParse(process.argv[2])
if (!given.success || process.argv.length > 3) {
  process.stderr.write('usage: npm run db:switch -- <schema>, such as next for the index of SCHEMA=next npm start\n')
  process.exitCode = 1
} else {
  const to = given.data
  await databaseCommand(databaseConfig, async ({ url, logger }) => {
    const { from, block } = await switchSchema(url, to, logger)
    const at = block === null ? 'before its first block' : `at block ${block}`
    if (from === to) return `Schema ${to} is the served one, ${at}.`
    return (
      `Schema ${to} is served now, ${at}. Gateways without SCHEMA go over within two seconds. The process that indexes into ${from} ends ` +
      `with 75; to keep that index up to date, start it with SCHEMA=${from}.`
    )
  })
}
