import { expect, test } from 'vitest'
import { expectProblem } from '#test/gateway/http/expectProblem.ts'
import { databaseAway } from '#test/gateway/memoryReads.ts'
import { REALTIME, startGateway } from '#test/gateway/startGateway.ts'
import { rpcHealth } from '#test/support/rpcHealth.ts'

test('tells everything about a healthy service', async () => {
  const gateway = await startGateway({ now: () => 12_700, config: { operatorToken: 't0p-secret' } })
  const response = await gateway.get('/api/indexer/health')
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    status: 'ok',
    role: 'all',
    standby: false,
    version: '1.2.3',
    uptimeSeconds: 12,
    chainId: 8453,
    headBlock: '470',
    confirmedBlock: '467',
    indexedBlock: '467',
    lagBlocks: 0,
    lagSeconds: 1.2,
    backfill: null,
    launchpads: [],
    reorgs: { count: 0, lastDepth: null, lastAt: null },
    rpc: [rpcHealth()],
    database: { ok: true, latencyMs: 0.5 },
    actors: { total: 0, byState: { live: 0 }, subscribers: 42 },
    realtime: REALTIME,
    feed: { carrier: 'thread', connected: true, disconnectedMs: 0, waitingMs: 0, behindBlocks: 0, reconnects: 0, replica: null },
    reasons: [],
    warnings: [],
  })
})

test('shows only operators what others said of what is in the way', async () => {
  const gateway = await startGateway({ config: { operatorToken: 't0p-secret' } })
  const reason = 'rpc-1: the node failed'
  const details = ['rpc-1: the node failed (-32000): no Authorization for you']
  gateway.conditions.indexer = { ...gateway.conditions.indexer, stalled: true, reason, details }
  for (const authorization of ['', 'Bearer wrong', 'Basic t0p-secret']) {
    const response = await gateway.get('/api/indexer/health', authorization === '' ? {} : { authorization })
    expect(response.status).toBe(503)
    const health = (await response.json()) as object
    expect(health).toMatchObject({ status: 'stalled', reasons: [reason] })
    expect(health).not.toHaveProperty('details')
    expect(JSON.stringify(health)).not.toContain('Authorization')
  }
  const told = await gateway.get('/api/indexer/health', { authorization: 'Bearer t0p-secret' })
  expect([told.status, told.headers.get('cache-control')]).toEqual([503, 'no-store'])
  expect(await told.json()).toMatchObject({ reasons: [reason], details })
  expect(await expectProblem(await gateway.get('/readyz', { authorization: 'Bearer t0p-secret' }), 503, 'data_unavailable')).toBe(reason)
  const warnings = ['from block 7 on, the hashes of headers do not prove their fields']
  gateway.conditions.indexer = { ...gateway.conditions.indexer, stalled: false, reason: null, warnings, details: [] }
  expect(await (await gateway.get('/api/indexer/health', { authorization: 'Bearer t0p-secret' })).json()).toMatchObject({
    status: 'ok',
    warnings,
    details: [],
  })
})

test('answers 503 with the whole picture, and says when to ask again, when the database is away', async () => {
  const gateway = await startGateway()
  gateway.reads.before = databaseAway
  const response = await gateway.get('/api/indexer/health')
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('5')
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const text = await response.text()
  expect(text).not.toContain('hunter2')
  expect(JSON.parse(text)).toMatchObject({
    status: 'stalled',
    database: { ok: false, latencyMs: null },
    indexedBlock: '467',
    reasons: ['the database does not answer'],
  })
})

test('says once to operators what indexing and the look at the database both say', async () => {
  const gateway = await startGateway({ config: { operatorToken: 't0p-secret' } })
  gateway.reads.before = databaseAway
  const details = async () => {
    const response = await gateway.get('/api/indexer/health', { authorization: 'Bearer t0p-secret' })
    return ((await response.json()) as { readonly details: readonly string[] }).details
  }
  const said = await details()
  expect(said).toHaveLength(1)
  gateway.conditions.indexer = { ...gateway.conditions.indexer, details: said }
  expect(await details()).toEqual(said)
})

test('answers 200 when degraded and before anything is known of the chain', async () => {
  const gateway = await startGateway()
  const { indexer } = gateway.conditions
  gateway.conditions.indexer = { ...indexer, rpc: [rpcHealth({ healthy: false, latencyMs: null, errorRate: 1 })] }
  const degraded = await gateway.get('/api/indexer/health')
  expect(degraded.status).toBe(200)
  expect(await degraded.json()).toMatchObject({ status: 'degraded', reasons: ['rpc-1 fails'] })
  gateway.conditions.indexer = { ...indexer, headBlock: null, confirmedBlock: null, indexedBlock: null, lagBlocks: null, lagSeconds: null }
  const syncing = await gateway.get('/api/indexer/health')
  expect(syncing.status).toBe(200)
  expect(await syncing.json()).toMatchObject({ status: 'syncing', headBlock: null, confirmedBlock: null, indexedBlock: null })
})

test('lives whatever is broken', async () => {
  const gateway = await startGateway()
  gateway.reads.before = databaseAway
  const response = await gateway.get('/healthz')
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
})

test('is ready and degraded when what carries commits to it is lost', async () => {
  const gateway = await startGateway()
  gateway.conditions.feed = { ...gateway.conditions.feed, carrier: 'nats', connected: false, disconnectedMs: 7_200 }
  const health = await gateway.get('/api/indexer/health')
  expect(health.status).toBe(200)
  expect(await health.json()).toMatchObject({
    status: 'degraded',
    reasons: ['no commits have come over NATS for 7 s'],
    feed: { connected: false, disconnectedMs: 7_200 },
  })
  expect((await gateway.get('/readyz')).status).toBe(200)
})

test('is ready only while it serves current data', async () => {
  let nowMs = 0
  const gateway = await startGateway({ now: () => nowMs })
  const { indexer } = gateway.conditions
  expect(await (await gateway.get('/readyz')).json()).toEqual({ status: 'ready' })
  gateway.conditions.indexer = { ...indexer, stalled: true, reason: 'a reorg is deeper than the confirmations' }
  expect(await expectProblem(await gateway.get('/readyz'), 503, 'data_unavailable')).toBe('a reorg is deeper than the confirmations')
  gateway.conditions.indexer = { ...indexer, indexedBlock: null }
  expect(await expectProblem(await gateway.get('/readyz'), 503, 'data_unavailable')).toBe('the index is catching up with the chain')
  gateway.conditions.indexer = { ...indexer, rpc: [rpcHealth({ healthy: false, latencyMs: null, errorRate: 1 })] }
  expect((await gateway.get('/readyz')).status).toBe(200)
  gateway.reads.before = databaseAway
  nowMs = 501
  expect(await expectProblem(await gateway.get('/readyz'), 503, 'data_unavailable')).toBe('the database does not answer; rpc-1 fails')
})
