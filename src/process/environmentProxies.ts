import process from 'node:process'

const NAMES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']

/** What the log says of proxies in the environment of the process, which Node uses or ignores for providers and prices. */
export type ProxyUse =
  | { readonly use: 'none' }
  /** Each variable with the host of its proxy. */
  | { readonly use: 'used' | 'ignored'; readonly proxies: Readonly<Record<string, string>> }

/** @param execArgv the options of Node */
export function environmentProxies(env: Readonly<Record<string, string | undefined>>, execArgv: readonly string[]): ProxyUse {
  const proxies = NAMES.flatMap(name => {
    const text = env[name]?.trim()
    return text ? [[name, URL.parse(text)?.host || 'not a URL'] as const] : []
  })
  if (proxies.length === 0) return { use: 'none' }
  const isOn = env['NODE_USE_ENV_PROXY'] === '1' || [...execArgv, ...(env['NODE_OPTIONS'] ?? '').split(' ')].includes('--use-env-proxy')
  // Node before 22.21 does not know it.
  const isKnown = process.allowedNodeEnvironmentFlags.has('--use-env-proxy')
  return { use: isOn && isKnown ? 'used' : 'ignored', proxies: Object.fromEntries(proxies) }
}
