import { expect, test } from 'vitest'
import { addressOfBytes, forwardedAddress, limitKey, normaliseAddress } from '#gateway/admission/sockets.ts'

test.for([
  ['203.0.113.1', '203.0.113.1'],
  [' 203.0.113.1 ', '203.0.113.1'],
  ['203.0.113.1:4711', '203.0.113.1'],
  ['::ffff:203.0.113.1', '203.0.113.1'],
  ['::FFFF:CB00:7101', '203.0.113.1'],
  ['[::ffff:203.0.113.1]:4711', '203.0.113.1'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['::', '0:0:0:0:0:0:0:0'],
  ['2001:DB8::0001', '2001:db8:0:0:0:0:0:1'],
  ['[2001:db8::1]', '2001:db8:0:0:0:0:0:1'],
  ['[2001:db8::1]:443', '2001:db8:0:0:0:0:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0:0:0:c000:221'],
] as const)('spells %s as %s', ([text, expected]) => {
  expect(normaliseAddress(text)).toBe(expected)
})

test.for([
  '',
  'unknown',
  '_hidden',
  '203.0.113',
  '203.0.113.256',
  '1::2::3',
  '2001:db8::1:443:1:2:3:4:5',
  '[203.0.113.1',
  'example.com:80',
  '%eth0',
])('takes "%s" for no address', text => {
  expect(normaliseAddress(text)).toBeUndefined()
})

test('reads the bytes of a peer', () => {
  expect(addressOfBytes(Uint8Array.of(203, 0, 113, 1))).toBe('203.0.113.1')
  expect(addressOfBytes(Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))).toBe('2001:db8:0:0:0:0:0:1')
  expect(addressOfBytes(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 203, 0, 113, 1))).toBe('203.0.113.1')
  expect(addressOfBytes(new Uint8Array())).toBe('unknown')
})

test.for([
  ['the last entry is the client of one proxy', '10.0.0.1', '1.1.1.1, 203.0.113.5', 1, '203.0.113.5'],
  ['the last but one of two', '10.0.0.1', '1.1.1.1, 203.0.113.5, 10.0.0.2', 2, '203.0.113.5'],
  ['a shorter list gives its first', '10.0.0.1', '203.0.113.5', 3, '203.0.113.5'],
  ['the walk stops at what is no address', '10.0.0.1', '203.0.113.5, unknown, 10.0.0.2', 3, '10.0.0.2'],
  ['an empty list gives the peer', '10.0.0.1', '', 1, '10.0.0.1'],
] as const)('%s', ([, peer, forwarded, hops, client]) => {
  expect(forwardedAddress(peer, forwarded, hops)).toBe(client)
})

test('counts an IPv6 customer by the /64', () => {
  expect(limitKey('203.0.113.1')).toBe('203.0.113.1')
  expect(limitKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2')
})
