/* The health check of the image: asks the service that its settings describe whether it is alive, and exits with 0 or 1. */

const { PORT = '3000', TLS_CERT_FILE = '' } = process.env
// The certificate is that of the service's public name.
if (TLS_CERT_FILE !== '') process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
const url = `${TLS_CERT_FILE === '' ? 'http' : 'https'}://127.0.0.1:${PORT}/healthz`
const isAlive = await fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  response => response.ok,
  () => false,
)
process.exit(isAlive ? 0 : 1)
