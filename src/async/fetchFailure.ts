const PROXY_REFUSAL = /^Proxy response \((\d+)\)/

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
