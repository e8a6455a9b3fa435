/** The parameter of a database's URL that carries `SCHEMA` to each connection. The driver does not get it. */
const PARAMETER = 'tokenwire_schema'

/** The URL of a database with the schema that its connections use. `null`: the served one. */
export function withSchema(databaseUrl: string, schema: string | null): string {
  if (schema === null) return databaseUrl
  const url = new URL(databaseUrl)
  url.searchParams.set(PARAMETER, schema)
  return url.href
}

/** What `withSchema` has set. */
export function schemaOf(databaseUrl: string): string | null {
  return new URL(databaseUrl).searchParams.get(PARAMETER)
}

/** The URL without what `withSchema` has set. */
export function withoutSchema(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  removeSchemaParameter(url)
  return url.href
}

/** Removes what `withSchema` has set, which the driver does not know. */
export function removeSchemaParameter(url: URL): void {
  // Even a removal that finds nothing would write the other parameters anew.
  if (url.searchParams.has(PARAMETER)) url.searchParams.delete(PARAMETER)
}

/** The session settings that a database's URL gives by `options`, in lower case and with underscores. */
export function givenOptions(databaseUrl: string): string {
  return (new URL(databaseUrl).searchParams.get('options') ?? '').toLowerCase().replaceAll('-', '_')
}

/** What the service or its driver makes use of. `target_session_attrs`: a connection to a standby is used once anyway. */
const USED = new Set(
  (
    'sslmode sslrootcert sslcert sslkey sslnegotiation uselibpqcompat channel_binding options host application_name ' +
    `target_session_attrs ${PARAMETER}`
  ).split(' '),
)

/** The parameters of a database's URL that have no effect, since they are meant for other programs, such as `schema` and `pgbouncer`. */
export function unusedParameters(databaseUrl: string): readonly string[] {
  return [...new Set(new URL(databaseUrl).searchParams.keys())].filter(name => !USED.has(name))
}
