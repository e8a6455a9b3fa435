import { isIPv4, isIPv6 } from 'node:net'

/**
 * Normalises an IP address: IPv4 (also when mapped into IPv6) as dotted decimal, IPv6 as eight groups without leading zeros or `::`.
 * Accepts what proxies write into `X-Forwarded-For`: brackets, a port, a zone. `undefined`: the text is no IP address.
 */
export function normaliseAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = (/^\[(.+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed).replace(/%.*$/, '')
  if (isIPv4(bare)) return bare
  if (isIPv6(bare)) return fromGroups(ipv6Groups(bare))
  const withPort = /^([\d.]+):\d+$/.exec(bare)?.[1]
  return withPort !== undefined && isIPv4(withPort) ? withPort : undefined
}

/** The address of a socket's peer from its 4 or 16 bytes; `unknown` for a closed socket, which has none. */
export function addressOfBytes(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) return 'unknown'
  return fromGroups(Array.from({ length: 8 }, (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)))
}

/**
 * The client's address behind proxies. Each proxy appends the peer that it sees to `X-Forwarded-For`, so behind `hops` trusted proxies the
 * client is the `hops`-th entry from the end. The client itself may have written the entries before it. A shorter list gives its first
 * entry. An entry that is no address ends the walk.
 */
export function forwardedAddress(peer: string, forwarded: string, hops: number): string {
  const entries = forwarded.split(',').reverse().slice(0, hops)
  let client = peer
  for (const entry of entries) {
    const address = normaliseAddress(entry)
    if (address === undefined) break
    client = address
  }
  return client
}

/** The key by which limits are counted: an IPv4 address, or the /64 of an IPv6 address, which providers assign to one customer. */
export function limitKey(address: string): string {
  return address.includes(':') ? address.split(':').slice(0, 4).join(':') : address
}

/** The eight groups of a valid IPv6 text. A URL writes a dotted IPv4 end as two groups. */
function ipv6Groups(text: string): readonly number[] {
  const [left = [], right] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::').map(groupsOf)
  if (right === undefined) return left
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
}

function groupsOf(part: string): readonly number[] {
  return part === '' ? [] : part.split(':').map(group => Number.parseInt(group, 16))
}

function fromGroups(groups: readonly number[]): string {
  const mapped = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff
  if (!mapped) return groups.map(group => group.toString(16)).join(':')
  return groups
    .slice(6)
    .flatMap(group => [group >> 8, group & 0xff])
    .join('.')
}
