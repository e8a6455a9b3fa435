import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { publicGateway } from '#jobs/metadata/fetchText.ts'
import { isCreatorUrl, isPublicAddress } from '#jobs/metadata/outbound.ts'

describe('isPublicAddress', () => {
  it.each([
    ['this network', '0.0.0.0'],
    ['private', '10.1.2.3'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['shared by carriers', '100.64.0.1'],
    ["a cloud's metadata there", '100.100.100.200'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ["clouds' metadata", '169.254.169.254'],
    ["a cloud's metadata", '168.63.129.16'],
    ['protocols', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['6to4 relays', '192.88.99.1'],
    ['benchmarking', '198.19.0.1'],
    ['documentation', '203.0.113.9'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['mapped IPv4', '::ffff:127.0.0.1'],
    ['mapped IPv4', '::ffff:8.8.8.8'],
    ['mapped IPv4 in hex', '::ffff:a9fe:a9fe'],
    ['compatible IPv4', '::127.0.0.1'],
    ['NAT64', '64:ff9b::a9fe:a9fe'],
    ['local NAT64', '64:ff9b:1::1'],
    ['discard', '100::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['documentation', '2001:db8::1'],
    ['6to4', '2002:7f00:1::1'],
    ['documentation', '3fff::1'],
    ['unique-local', 'fc00::1'],
    ["a cloud's metadata", 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['global with a zone', '2606:4700::1111%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['no address', 'localhost'],
    ['no address', '127.1'],
    ['nothing', ''],
  ])('refuses %s: %s', (_, address) => expect(isPublicAddress(address)).toBe(false))

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '198.20.0.1',
    '2606:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:4860:4860::8888',
  ])('lets %s', address => expect(isPublicAddress(address)).toBe(true))

  it('refuses every address of the IPv4 networks that are not public', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const network = fc.constantFrom([10], [127], [169, 254], [192, 168], [0], [172, 20], [100, 77], [198, 18], [233], [250])
    fc.assert(
      fc.property(network, fc.tuple(octet, octet, octet), (start, rest) => {
        const address = [...start, ...rest].slice(0, 4).join('.')
        expect(isPublicAddress(address)).toBe(false)
        expect(isPublicAddress(`::ffff:${address}`)).toBe(false)
        expect(isPublicAddress(`64:ff9b::${address}`)).toBe(false)
      }),
    )
  })
})

describe('isCreatorUrl', () => {
  it.each([
    'http://metadata.example/x',
    'ftp://metadata.example/x',
    'https://user@metadata.example/x',
    'https://:secret@metadata.example/x',
    'https://metadata.example:8443/x',
    'https://metadata.example:22/x',
    'https://localhost/x',
    'https://localhost./x',
    'https://a.localhost/x',
    'https://router.local/x',
    'https://metadata.google.internal/x',
    'https://kubernetes/x',
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://0177.0.0.1/x',
    'https://0/x',
    'https://127.1./x',
    'https://①②⑦.0.0.1/x',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://[fd00::1]/x',
  ])('refuses %s', url => expect(isCreatorUrl(new URL(url), { allowHttp: false })).toBe(false))

  it.each([
    'https://metadata.example/x',
    'https://metadata.example:443/x',
    'https://8.8.8.8/x',
    'https://[2606:4700::1111]/x',
    'https://пример.рф/x',
  ])('lets %s', url => expect(isCreatorUrl(new URL(url), { allowHttp: false })).toBe(true))

  it('lets http on its own port when that is allowed', () => {
    expect(isCreatorUrl(new URL('http://metadata.example/x'), { allowHttp: true })).toBe(true)
    expect(isCreatorUrl(new URL('http://metadata.example:443/x'), { allowHttp: true })).toBe(false)
    expect(isCreatorUrl(new URL('http://10.0.0.1/x'), { allowHttp: true })).toBe(false)
  })
})

describe('publicGateway', () => {
  it.each([
    [['http://127.0.0.1:8080', 'https://gateway.example'], 'https://gateway.example'],
    [['https://gateway.example/key', 'https://ipfs.internal', 'https://10.0.0.1', 'https://gw.example:8443', 'http://gw.example'], null],
    [['https://first.example', 'https://second.example'], 'https://first.example'],
  ])('of %j is %j', (bases, gateway) => expect(publicGateway(bases)).toBe(gateway))
})
