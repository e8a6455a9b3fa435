import type { HttpRequest } from '#gateway/uWebSockets.ts'

/** Headers that proxies, load balancers and CDNs add, in lower case. */
const NAMES = new Set([
  'akamai-origin-hop',
  'cdn-loop',
  'client-ip',
  'do-connecting-ip',
  'fastly-client',
  'fastly-client-ip',
  'fastly-ff',
  'fly-client-ip',
  'fly-forwarded-port',
  'forwarded',
  'forwarded-for',
  'incap-client-ip',
  'proxy-client-ip',
  'remote-addr',
  'true-client-ip',
  'via',
  'wl-proxy-client-ip',
  'x-amz-cf-id',
  'x-amzn-trace-id',
  'x-appengine-user-ip',
  'x-arr-ssl',
  'x-azure-clientip',
  'x-azure-fdid',
  'x-azure-ref',
  'x-azure-socketip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-envoy-internal',
  'x-forwarded',
  'x-host',
  'x-nf-client-connection-ip',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-url',
  'x-originating-ip',
  'x-proxyuser-ip',
  'x-real-ip',
  'x-remote-addr',
  'x-remote-ip',
  'x-rewrite-url',
  'x-scheme',
  'x-sucuri-clientip',
  'x-varnish',
  'x-vercel-forwarded-for',
  'x-vercel-proxied-for',
  'x-vercel-ip-country',
])
const PREFIXES = ['x-forwarded-', 'cf-']

/** Whether a request has passed a proxy. Costs a call per header, so it is for operator routes only. */
export function hasForwardingHeader(req: Pick<HttpRequest, 'forEach'>): boolean {
  let found = false
  req.forEach(name => {
    found ||= NAMES.has(name) || PREFIXES.some(prefix => name.startsWith(prefix))
  })
  return found
}
