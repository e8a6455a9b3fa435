import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'

const TIMEOUT_MS = 5_000

/** Whether the service reports that it is ready. Its certificate is not verified, because it is this process's child on this machine. */
export function isReady(serviceUrl: string): Promise<boolean> {
  const url = new URL('/readyz', serviceUrl)
  return new Promise(resolve => {
    const options = { timeout: TIMEOUT_MS, rejectUnauthorized: false, agent: false }
    const request = (url.protocol === 'https:' ? getHttps : getHttp)(url, options, response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
    request.on('close', () => resolve(false))
  })
}
