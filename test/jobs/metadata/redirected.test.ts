import { describe, expect, it } from 'vitest'
import { redirected } from '#jobs/metadata/fetchText.ts'

const from = (url: string, trusted: boolean, location: string | undefined) => redirected({ url: new URL(url), trusted }, location)

describe('redirected', () => {
  it.each([
    ['https://gateway.example/ipfs/x', 'https://x.ipfs.gateway.example/', true],
    ['https://gateway.example/ipfs/x', '/ipfs/x/', true],
    ['http://localhost:8080/ipfs/x', 'http://x.ipfs.localhost:8080/', true],
    ['http://10.0.0.5:8080/ipfs/x', 'http://10.0.0.5:8080/ipfs/x/', true],
    ['http://10.0.0.5:8080/ipfs/x', 'http://10.0.0.5:5001/api/v0/id', false],
    ['http://10.0.0.5:8080/ipfs/x', 'http://10.0.0.6:8080/ipfs/x', false],
    ['http://10.0.0.5:8080/ipfs/x', 'https://10.0.0.5:8080/ipfs/x', false],
    ['https://gateway.example/ipfs/x', 'https://evilgateway.example/', false],
    ['https://gateway.example/ipfs/x', 'https://gateway.example.evil.example/', false],
    ['https://x.ipfs.gateway.example/', 'https://gateway.example/', false],
  ])('trusts from %s to %s: %s', (gateway, location, trusted) => {
    expect(from(gateway, true, location)).toEqual({ url: new URL(location, gateway), trusted })
  })

  it('never trusts where it did not before', () => {
    expect(from('https://creator.example/', false, '/y')).toEqual({ url: new URL('https://creator.example/y'), trusted: false })
  })

  it.each([
    undefined,
    'http://',
    'http://creator.example/',
    '//user@creator.example/',
    '//:pass@creator.example/',
    'data:,{}',
    'file:///x',
    'ws://creator.example/',
  ])('leads nowhere with %s', location => {
    expect(from('https://creator.example/', false, location)).toBeNull()
    expect(from('https://creator.example/', true, location)).toBeNull()
  })

  it('may lead from http to https', () => {
    expect(from('http://creator.example/', false, 'https://creator.example/')?.url.protocol).toBe('https:')
  })
})
