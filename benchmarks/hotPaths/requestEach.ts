import { once } from 'node:events'
import { type Agent, get, type IncomingMessage } from 'node:http'
import { mapBounded } from '#async/turns.ts'

/** Requests each path once, four at a time. Answers are not decompressed. @returns the durations in ms @throws `Error` unless all are 200 */
export function requestEach(url: string, paths: readonly string[], agent: Agent): Promise<readonly number[]> {
  return mapBounded(paths, 4, async path => {
    const begunAtMs = performance.now()
    const [response] = (await once(get(`${url}${path}`, { agent, headers: { 'Accept-Encoding': 'br' } }), 'response')) as [IncomingMessage]
    await once(response.resume(), 'end')
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`)
    return performance.now() - begunAtMs
  })
}
