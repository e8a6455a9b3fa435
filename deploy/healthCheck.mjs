/* The health check of the image: asks the service that its settings describe whether it is alive, and exits with 0 or 1. */
import { existsSync, readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { parseEnv } from 'node:util'

// As the service reads them: those of the process come before `.env`, and a blank one is none.
const settings = { ...(existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {}), ...process.env }
const setting = (name, otherwise) => settings[name]?.trim() || otherwise

const HOST = setting('HOST', '127.0.0.1')
const isTls = setting('TLS_CERT_FILE', '') !== ''
const { Agent, get } = isTls ? https : http
const options = {
  host: { '0.0.0.0': '127.0.0.1', '::': '::1' }[HOST] ?? HOST,
  port: setting('PORT', '3000'),
  path: '/healthz',
  // One of its own goes past the proxy of the environment.
  agent: new Agent(),
  // The certificate is that of the service's public name.
  rejectUnauthorized: false,
  signal: AbortSignal.timeout(4_000),
}
get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))
