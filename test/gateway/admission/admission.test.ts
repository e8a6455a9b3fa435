import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { type AdmissionConfig, type Client, createAdmission } from '#gateway/admission/admission.ts'
import { CONFIG } from '#test/gateway/startGateway.ts'

const logger = pino({ level: 'silent' })

function admissionWith(config: Partial<AdmissionConfig>) {
  return createAdmission({ ...CONFIG, ...config }, logger, { now: () => nowMs })
}

const from = (address: string): Client => ({ address, key: null, keyIn: 'nowhere' })

let nowMs = 0
beforeEach(() => {
  nowMs = 0
})

test('lets in who sends no origin unless one is required', () => {
  expect(admissionWith({ requireOrigin: false }).originAllowed('', null)).toBe(true)
  expect(admissionWith({ requireOrigin: true }).originAllowed('', null)).toBe(false)
  expect(admissionWith({ requireOrigin: true }).originAllowed('http://localhost:3000', null)).toBe(true)
})

test('refuses the connection of a client that has too many with 429, and takes it when one is released', () => {
  const { openConnection } = admissionWith({ maxConnectionsPerIp: 2 })
  const first = openConnection(from('203.0.113.1'))
  expect(openConnection(from('203.0.113.1')).kind).toBe('admitted')
  expect(openConnection(from('203.0.113.1'))).toEqual({ kind: 'refused', status: 429 })
  expect(openConnection(from('203.0.113.2')).kind).toBe('admitted')
  if (first.kind === 'admitted') first.release()
  expect(openConnection(from('203.0.113.1')).kind).toBe('admitted')
  expect(openConnection(from('203.0.113.1')).kind).toBe('refused')
})

test('gives a place back once however often it is released', () => {
  const { openConnection } = admissionWith({ maxConnectionsPerIp: 5, maxConnections: 2 })
  const first = openConnection(from('203.0.113.1'))
  const second = openConnection(from('203.0.113.1'))
  if (first.kind === 'admitted') {
    first.release()
    first.release()
    first.release()
  }
  expect(openConnection(from('203.0.113.1')).kind).toBe('admitted')
  expect(openConnection(from('203.0.113.1')).kind).toBe('refused')
  if (second.kind === 'admitted') second.release()
  expect(openConnection(from('203.0.113.1')).kind).toBe('admitted')
})

test('refuses new connections with 503 when the process has as many connections as it may', () => {
  const { openConnection, refusedConnections } = admissionWith({ maxConnections: 2, maxConnectionsPerIp: 2 })
  openConnection(from('203.0.113.1'))
  openConnection(from('203.0.113.2'))
  expect(openConnection(from('203.0.113.3'))).toEqual({ kind: 'refused', status: 503 })
  expect(refusedConnections).toEqual({ client: 0, process: 1 })
})

test('counts the connections of an IPv6 /64 together', () => {
  const { openConnection } = admissionWith({ maxConnectionsPerIp: 1 })
  expect(openConnection(from('2001:db8:1:2:0:0:0:1')).kind).toBe('admitted')
  expect(openConnection(from('2001:db8:1:2:ffff:0:0:9')).kind).toBe('refused')
  expect(openConnection(from('2001:db8:1:3:0:0:0:1')).kind).toBe('admitted')
})

test('allows its number of requests per minute and starts anew when the minute is over', () => {
  const { takeRequest } = admissionWith({ rateLimitPerMinute: 2 })
  expect(takeRequest(from('203.0.113.1'))).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 })
  nowMs += 10_500
  expect(takeRequest(from('203.0.113.1'))).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 50 })
  expect(takeRequest(from('203.0.113.1'))).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 50 })
  nowMs += 49_499
  expect(takeRequest(from('203.0.113.1'))).toMatchObject({ allowed: false, resetSeconds: 1 })
  nowMs += 1
  expect(takeRequest(from('203.0.113.1'))).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 })
})

test('does not count when there is no limit', () => {
  expect(admissionWith({ rateLimitPerMinute: 0 }).takeRequest(from('203.0.113.1'))).toBeNull()
})
