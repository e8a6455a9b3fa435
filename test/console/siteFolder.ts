import path from 'node:path'

/** The console, built by the global set-up of the tests. */
export const SITE_FOLDER = path.resolve(import.meta.dirname, '../../dist/console')
