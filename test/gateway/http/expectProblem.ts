import { expect } from 'vitest'

/** Checks that an answer is a problem in every respect that all of them share, and gives its `detail`. */
export async function expectProblem(response: Response, status: number, code: string): Promise<string> {
  const body = (await response.json()) as Record<string, unknown>
  expect({ status: response.status, code: body.code }).toEqual({ status, code })
  expect(Object.keys(body).sort()).toEqual(['code', 'detail', 'requestId', 'status', 'title', 'type'])
  expect(body).toMatchObject({ type: 'about:blank', status, title: expect.any(String), requestId: response.headers.get('x-request-id') })
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('etag')).toBeNull()
  expect(response.headers.get('retry-after') !== null).toBe(status === 429 || status === 503)
  return body.detail as string
}
