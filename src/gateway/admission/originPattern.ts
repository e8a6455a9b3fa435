const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

/**
 * Compiles `ALLOWED_ORIGINS`, normalised by the configuration (`scheme://host[:port]`), to a test of an `Origin` header:
 *
 * - `*` alone allows every origin, including `null` (sandboxed frames, files);
 * - `https://*.example.com` allows subdomains of any depth, but not `example.com` itself;
 * - `https://pr-*.example.com` allows one label in place of `*`;
 * - `http://localhost:*` allows any port, including the scheme's default.
 */
export function originTest(patterns: readonly string[]): (origin: string) => boolean {
  if (patterns.includes('*')) return () => true
  const compiled = patterns.map(compile)
  return origin => compiled.some(pattern => pattern.test(origin.toLowerCase()))
}

function compile(pattern: string): RegExp {
  const {
    scheme = '',
    host = '',
    port,
  } = /^(?<scheme>[^:]+):\/\/(?<host>\[.+\]|[^:]+)(?::(?<port>.+))?$/.exec(pattern.toLowerCase())?.groups ?? {}
  return new RegExp(`^${escape(scheme)}://${host.split('.').map(labelSource).join('\\.')}${portSource(port, DEFAULT_PORTS[scheme])}$`)
}

function labelSource(label: string): string {
  return label === '*' ? '[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*' : label.split('*').map(escape).join('[a-z0-9_-]*')
}

/** Browsers omit the scheme's default port in `Origin`. */
function portSource(port: string | undefined, defaultPort: string | undefined): string {
  if (port === '*') return '(?::\\d{1,5})?'
  if (port !== undefined && port !== defaultPort) return `:${escape(port)}`
  return defaultPort === undefined ? '' : `(?::${defaultPort})?`
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
