import { z } from 'zod'
import { indexerHealthSchema } from './health.ts'
import { defineResource, listSchema, NO_PARAMETERS } from './resource.ts'
import { count, decimalText } from './values.ts'
import type { Wire } from './wire.ts'

const milliseconds = z.number().min(0)

/** What a process reports about itself to the other processes on its database. */
export const processReportSchema = indexerHealthSchema
  .pick({
    status: true,
    role: true,
    standby: true,
    version: true,
    uptimeSeconds: true,
    indexedBlock: true,
    lagBlocks: true,
    database: true,
    feed: true,
  })
  .extend({
    id: z.string().describe('Id of the process; each start has a new one.'),
    host: z.string().describe('Name of the machine that the process runs on.'),
    pid: count.describe('Process id on that machine.'),
    url: z.string().describe('URL at which the process listens.'),
    connections: count.describe('Open WebSockets and event streams.'),
    subscriptions: count.describe('Subscriptions of all connections.'),
  })

const processStateSchema = processReportSchema
  .extend({
    heardMsAgo: milliseconds.describe('Milliseconds between the last report of the process and this answer. It reports every 5 s.'),
  })
  .meta({ id: 'ProcessState', description: 'What a process reports about itself.' })

const blockNumber = count.nullable()

/** What an indexer reports to gateways about itself and the chain. */
export const indexerReportSchema = z.object({
  writer: z.uuid(),
  state: indexerHealthSchema.pick({ lagBlocks: true, lagSeconds: true, backfill: true, reorgs: true, rpc: true }).extend({
    headBlock: blockNumber,
    confirmedBlock: blockNumber,
    indexedBlock: blockNumber,
    headUnchangedSeconds: z.number().nullable().exactOptional(),
    stalled: z.boolean(),
    reason: z.string().nullable(),
    launchpads: indexerHealthSchema.shape.launchpads.exactOptional(),
    warnings: z.array(z.string()).exactOptional(),
    details: z.array(z.string()).exactOptional(),
  }),
  chain: z.object({ headBlock: blockNumber, blockTimeMs: milliseconds.nullable(), baseFeeGwei: decimalText.nullable() }),
  natsConnected: z.boolean().exactOptional(),
})

export type ProcessReport = Wire<typeof processReportSchema>
export type ProcessState = Wire<typeof processStateSchema>

export const processes = defineResource({
  id: 'listProcesses',
  tag: 'Health',
  path: '/api/indexer/health/processes',
  summary: 'The processes that use the same database: indexers, standbys and gateways',
  parameters: NO_PARAMETERS,
  answer: listSchema(processStateSchema)
    .omit({ asOfBlock: true })
    .meta({ id: 'ProcessList', description: 'The processes that reported in the last 15 s, indexers first, in one page.' }),
  access: 'operator',
  cacheControl: 'never',
  problems: [],
})
