import path from 'node:path'

/** The console as the run's set-up has built it. */
export const SITE_FOLDER = path.resolve(import.meta.dirname, '../../dist/console')
