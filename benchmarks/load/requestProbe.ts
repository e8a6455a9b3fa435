import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'

/** Sends requests at a fixed rate on open connections, whether or not earlier requests were answered. */
export interface RequestProbe {
  /** Waits for the last answers. @returns the duration of each in ms @throws `Error` if an answer was not 200 */
  end(): Promise<readonly number[]>
}

export function probeRequests(url: string, everyMs: number): RequestProbe {
  const agent = new Agent({ keepAlive: true })
  const answers: Promise<number>[] = []
  const timer = setInterval(() => {
    const answer = ask(url, agent)
    // Awaited in `end`.
    answer.catch(() => {})
    answers.push(answer)
  }, everyMs)
  return {
    end: async () => {
      clearInterval(timer)
      try {
        return await Promise.all(answers)
      } finally {
        agent.destroy()
      }
    },
  }
}

async function ask(url: string, agent: Agent): Promise<number> {
  const begunAtMs = performance.now()
  const request = get(url, { agent })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 200) throw new Error(`${new URL(url).pathname} answered ${response.statusCode}`)
  return performance.now() - begunAtMs
}
