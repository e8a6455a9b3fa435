import { z } from 'zod'

/** The codes of problems: their statuses, and what they mean. */
export const PROBLEMS = {
  invalid_parameter: {
    statuses: [400],
    meaning: 'A parameter is missing, malformed, repeated or out of range; `detail` says what was expected.',
  },
  invalid_request: {
    statuses: [400],
    meaning: 'The request has two `Host` or `Content-Length` headers, or a `Transfer-Encoding` other than `chunked`.',
  },
  token_not_found: { statuses: [404], meaning: 'The address is well formed, and no indexed token has it.' },
  not_found: { statuses: [404], meaning: 'There is nothing at this path, or nothing with this id.' },
  not_kept: {
    statuses: [410],
    meaning: 'The service keeps nothing that is as old as the requested range; `detail` says since when it does.',
  },
  method_not_allowed: { statuses: [405], meaning: 'The path does not answer this method; `Allow` names those that it does.' },
  upgrade_required: { statuses: [426], meaning: 'The path is for WebSockets.' },
  rate_limited: {
    statuses: [429],
    meaning: 'Too many requests or connections of this client address or API key; try again after `Retry-After`.',
  },
  origin_not_allowed: { statuses: [403], meaning: 'Pages of this origin may not use the service.' },
  unauthorized: {
    statuses: [401, 403],
    meaning: '401: the operator token or API key is missing, unknown or revoked; 403: operator routes are closed here.',
  },
  price_unavailable: { statuses: [503], meaning: 'No provider gave an ETH price in the last 10 minutes; try again after `Retry-After`.' },
  data_unavailable: {
    statuses: [503],
    meaning: 'The index can’t be read at the moment, or holds nothing yet; try again after `Retry-After`.',
  },
  internal: { statuses: [500], meaning: 'A fault of the service; its log has the reason under `requestId`.' },
} as const

export type ProblemCode = keyof typeof PROBLEMS

export type ProblemStatus = (typeof PROBLEMS)[ProblemCode]['statuses'][number]

export const problemSchema = z
  .object({
    type: z.literal('about:blank').describe('Always `about:blank`: `code` tells problems apart.'),
    title: z.string().describe('The standard phrase of the HTTP status.'),
    status: z.number().int().min(400).max(599).describe('The HTTP status.'),
    detail: z.string().describe('What was expected, for people. Its wording may change.'),
    code: z.enum(Object.keys(PROBLEMS) as ProblemCode[]).describe('What is wrong, for programs. Stable.'),
    message: z.string().optional().describe('The same text as `detail`. Only on routes below `/dextools`, whose contract requires it.'),
    requestId: z.string().describe('The `X-Request-Id` of this answer, which is also in the service’s log.'),
  })
  .meta({ id: 'Problem', description: 'An error by RFC 9457.' })
