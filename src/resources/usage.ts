import { z } from 'zod'
import { defineResource, listSchema, NO_PARAMETERS } from './resource.ts'
import { count } from './values.ts'
import type { Wire } from './wire.ts'

const keyUsageSchema = z
  .object({
    name: z.string().describe('Name of the key.'),
    requests: count.describe('Requests that were admitted, event streams included.'),
    refusedRequests: count.describe('Requests that were refused with 429.'),
    maxRequestsPerMinute: count.nullable().describe('Requests per minute that the key may make. `null`: no limit.'),
    connections: count.describe('WebSockets and event streams that are open now.'),
    maxConnections: count.describe('WebSockets and event streams that may be open at once.'),
    openedConnections: count.describe('WebSockets and event streams that were opened.'),
    refusedConnections: count.describe('WebSockets and event streams that were refused because too many were open.'),
  })
  .meta({ id: 'KeyUsage', description: 'What an API key has used of the process that answers, since the start of the process.' })

export type KeyUsage = Wire<typeof keyUsageSchema>

export const usage = defineResource({
  id: 'getUsage',
  tag: 'Health',
  path: '/api/usage',
  summary: 'What API keys have used: the key of the request, or all of them for operators',
  parameters: NO_PARAMETERS,
  answer: listSchema(keyUsageSchema)
    .omit({ asOfBlock: true })
    .meta({ id: 'KeyUsageList', description: 'The usage of keys in the process that answers, in one page.' }),
  access: 'both',
  cacheControl: 'never',
  problems: ['unauthorized'],
})
