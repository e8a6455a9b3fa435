/* Checks every answer of the service that a test reads against the published description. Loaded once in each worker. */

const { fetch: send } = globalThis
const objections: string[] = []

globalThis.fetch = async (input, init) => {
  const response = await send(input, init)
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
  // Which every answer of the service has, and no other server of the tests.
  if (method === 'GET' && response.headers.has('x-request-id')) await observe(response)
  return response
}

/** What has been wrong with answers since the last call. */
export function takeObjections(): readonly string[] {
  return objections.splice(0)
}

/** Checks the body when the test reads it, so that no body is read that a test leaves alone. */
async function observe(response: Response): Promise<void> {
  // Loaded late: most test files ask no service.
  const { answerObjection } = await import('./describedAnswers.ts')
  const { pathname } = new URL(response.url)
  const check = (body: string | null) => {
    const objection = answerObjection(pathname, response, body)
    if (objection !== null) objections.push(objection)
  }
  const readText = response.text.bind(response)
  const text = async () => {
    const body = await readText()
    check(body)
    return body
  }
  Object.assign(response, { text, json: async () => JSON.parse(await text()) as unknown })
  check(null)
}
