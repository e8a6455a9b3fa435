import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import process from 'node:process'
import { removeSchemaParameter } from '#domain/databaseUrl.ts'
import { isPercentEncoded } from '#domain/text.ts'
import { TokenwireError } from '#errors'

/** Parameters that name files, which the driver reads at every connection. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey']

/** Values of `PGSSLMODE` that the driver treats as `verify-full`. */
const ENCRYPTED = new Set(['require', 'verify-ca', 'verify-full'])

/**
 * The address for the driver. `sslmode`, or else `PGSSLMODE`, means what it means to psql.
 *
 * @throws `TokenwireError` `config_invalid` with what is wrong. Neither the URL nor Node's own errors are repeated: they hold the password.
 */
export function toConnectionString(databaseUrl: string): string {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : null
  if (url === null || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') || url.pathname.length < 2) {
    throw invalid('must look like postgres://user:password@host:5432/database')
  }
  for (const [part, text] of [
    ['user name', url.username],
    ['password', url.password],
    ['database name', url.pathname],
  ] as const) {
    if (!isPercentEncoded(text))
      throw invalid(`the ${part} has a % that is not followed by two hex digits of UTF-8; write a percent sign as %25`)
  }
  for (const name of FILES) checkFile(name, url.searchParams.get(name))
  removeSchemaParameter(url)
  const { PGSSLMODE = '' } = process.env
  if (!url.searchParams.has('sslmode') && ENCRYPTED.has(PGSSLMODE)) url.searchParams.set('sslmode', PGSSLMODE)
  checkVerification(url)
  if (url.searchParams.has('sslmode') && !url.searchParams.has('uselibpqcompat')) url.searchParams.set('uselibpqcompat', 'true')
  return url.href
}

/** Refuses `verify-full` of an IP address: the driver would check the certificate against `localhost`. */
function checkVerification({ hostname, searchParams }: URL): void {
  if (searchParams.get('sslmode') !== 'verify-full') return
  const host = searchParams.get('host') ?? hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) throw invalid(`sslmode=verify-full needs the name of the host that its certificate has, not the address ${host}`)
}

function checkFile(parameter: string, file: string | null): void {
  if (file === null) return
  try {
    readFileSync(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw invalid(`can not read the file of ${parameter}: ${file} (${code}); correct its path or its permissions`)
  }
}

function invalid(sentence: string): TokenwireError {
  return new TokenwireError('config_invalid', `DATABASE_URL: ${sentence}`)
}
