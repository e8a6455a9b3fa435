import { schemaName } from '#configuration/settingTypes.ts'
import { installViews, VIEWS_SCHEMA } from '#store/views/installViews.ts'
import { databaseCommand, databaseConfig } from './databaseCommand.ts'

/* npm run db:views: makes read-only views in the units of the API, and a role that may read only them. The service may run meanwhile. */

const given = schemaName.safeParse(process.argv[2] ?? 'tokenwire_reader')
if (!given.success || process.argv.length > 3) {
  process.stderr.write('usage: npm run db:views -- [<role>], by default tokenwire_reader\n')
  process.exitCode = 1
} else {
  const role = given.data
  await databaseCommand(databaseConfig, async ({ url, logger }) => {
    const { schema, missingLimits } = await installViews(url, role, logger)
    const limits = missingLimits.length === 0 ? '' : `\nThis role may not limit ${role}: as a superuser, run: ${missingLimits.join('; ')}`
    return (
      `The views of schema ${VIEWS_SCHEMA} show the index in schema ${schema}. Role ${role} may read them and nothing else. It has no password ` +
      `of this command's: give it one in psql with \\password ${role}${limits}`
    )
  })
}
