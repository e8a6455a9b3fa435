import { databaseUrl } from './addresses.ts'
import { anyText, schemaName, word } from './settingTypes.ts'

/** The settings that commands on the database need. As `SETTINGS`, of which they are a part. */
export const DATABASE_SETTINGS = {
  DATABASE_URL: databaseUrl.nullable().default(null).meta({
    secret: true,
    description: 'PostgreSQL 15 or newer, postgresql://user:password@host:5432/database. Blank: a private server under DATA_DIR.',
  }),
  SCHEMA: schemaName
    .nullable()
    .default(null)
    .describe(
      'The schema of the index in its database, which is created if it is missing. Blank: the one that npm run db:switch made the served ' +
        'one, else where the tables are. With a name, a second index is built beside the one that is served.',
    ),
  DATA_DIR: anyText.default('./.data').describe("The folder of the private server, of its log and of the operators' token."),
  LOG_LEVEL: word(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('The least severe level that is logged: trace, debug, info, warn, error, fatal or silent.'),
  LOG_FORMAT: word(['json', 'pretty']).nullable().default(null).describe('json or pretty. Blank: pretty on a terminal, else json.'),
}
