import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'

/**
 * Time for each address of a name but the last, before the next address is tried. With Node's 250 ms, a provider whose far address answers
 * after 400 ms could not be reached when its other address had no route. An address without a route costs a new connection this time.
 */
const ATTEMPT_MS = 2_000

/** To be called once in each thread, before it connects to anything. */
export function allowSlowConnections(): void {
  setDefaultAutoSelectFamilyAttemptTimeout(ATTEMPT_MS)
}

const PROXY_REFUSAL = /^Proxy response \((\d+)\)/

// Codes of Node's TLS and of OpenSSL: https://nodejs.org/api/tls.html#x509-certificate-error-codes
const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/

/** Whether the code of an error says that two sides could not agree on an encrypted connection. */
export function isTlsCode(code: string): boolean {
  return TLS_CODE.test(code)
}

/**
 * Why `fetch` failed, in words that quote no URL: a code of the system or of `fetch`, such as `ECONNREFUSED`, or that the proxy of the
 * environment refused; `null`: it does not say.
 */
export function fetchFailure(error: unknown): string | null {
  for (let one = error; one instanceof Error; one = one.cause) {
    const status = PROXY_REFUSAL.exec(one.message)?.[1]
    if (status !== undefined) return `the proxy answered ${status}`
    if ('code' in one && typeof one.code === 'string' && /^[A-Z][A-Z_\d]+$/.test(one.code)) return one.code
  }
  return null
}
