const OWN_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

/**
 * Compiles `ALLOWED_ORIGINS`, as the configuration has read it (`scheme://host[:port]`), to a test of an `Origin` header. `*` alone allows
 * every origin, `null` (sandboxed frames, files) included; `https://*.example.com` any depth of subdomains but not `example.com` itself;
 * `https://pr-*.example.com` what one label can hold; `http://localhost:*` any port, the scheme's own included.
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
  return new RegExp(`^${escape(scheme)}://${host.split('.').map(labelSource).join('\\.')}${portSource(port, OWN_PORTS[scheme])}$`)
}

function labelSource(label: string): string {
  return label === '*' ? '[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*' : label.split('*').map(escape).join('[a-z0-9_-]*')
}

/** Browsers leave the scheme's own port out of `Origin`. */
function portSource(port: string | undefined, ownPort: string | undefined): string {
  if (port === '*') return '(?::\\d{1,5})?'
  if (port !== undefined && port !== ownPort) return `:${escape(port)}`
  return ownPort === undefined ? '' : `(?::${ownPort})?`
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
