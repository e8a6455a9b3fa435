import { TokenwireError } from '#errors'

const PATTERN = /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?<host>\[[0-9a-f:]+\]|[a-z0-9*_-]+(?:\.[a-z0-9*_-]+)*)(?::(?<port>\d{1,5}|\*))?$/

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

/**
 * Compiles `ALLOWED_ORIGINS` to a test of an `Origin` header. `*` alone allows every origin, `null` (sandboxed frames, files) included;
 * `https://*.example.com` any depth of subdomains but not `example.com` itself; `https://pr-*.example.com` what one label can hold;
 * `http://localhost:*` any port, the scheme's own included.
 *
 * @throws `TokenwireError` with code `config_invalid` when an entry is none of these
 */
export function originTest(patterns: readonly string[]): (origin: string) => boolean {
  if (patterns.includes('*')) return () => true
  const compiled = patterns.map(compile)
  return origin => compiled.some(pattern => pattern.test(origin.toLowerCase()))
}

function compile(pattern: string): RegExp {
  const groups = PATTERN.exec(pattern.toLowerCase())?.groups
  const { scheme = '', host = '', port } = groups ?? {}
  if (groups === undefined || !isSubdomainPattern(host)) {
    throw new TokenwireError(
      'config_invalid',
      `ALLOWED_ORIGINS has "${pattern}": expected * or scheme://host[:port], with a * for the port or inside a subdomain only`,
    )
  }
  return new RegExp(`^${escape(scheme)}://${host.split('.').map(labelSource).join('\\.')}${portSource(port, DEFAULT_PORTS[scheme])}$`)
}

/** A wildcard in what can be registered (`https://*.com`, `https://shop-*.com`) would let strangers in. `*.localhost` can't. */
function isSubdomainPattern(host: string): boolean {
  const labels = host.split('.')
  const registered = labels.at(-1) === 'localhost' ? labels.slice(-1) : labels.slice(-2)
  return !registered.some(label => label.includes('*'))
}

function labelSource(label: string): string {
  return label === '*' ? '[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*' : label.split('*').map(escape).join('[a-z0-9_-]*')
}

/** Browsers leave the scheme's default port out of `Origin`. */
function portSource(port: string | undefined, defaultPort: string | undefined): string {
  if (port === '*') return '(?::\\d{1,5})?'
  if (port !== undefined && port !== defaultPort) return `:${port}`
  return defaultPort === undefined ? '' : `(?::${defaultPort})?`
}

function escape(text: string): string {
  return text.replace(/[.+[\]]/g, '\\$&')
}
