import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { locate } from '#jobs/metadata/fetchText.ts'
import { parseMetadataUri } from '#jobs/metadata/readDocument.ts'

const CID = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const OLD_CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG'
const TRANSACTION = 'sHqUBKFeS42-CMCvNqPR31yEP63qSJG3ImshfwzJJF8'

/** Any UTF-16 at all, halves of pairs included. */
const anyText = (maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength }).map(units => String.fromCharCode(...units))

describe('parseMetadataUri', () => {
  it.each([
    [`ipfs://${CID}`, CID],
    [`IPFS://${OLD_CID}/meta data.json`, `${OLD_CID}/meta%20data.json`],
    [`ipfs://ipfs/${CID}/1.json`, `${CID}/1.json`],
    [`ipfs:/${CID}`, CID],
    [`/ipfs/${CID}`, CID],
    [`  ${CID}\n`, CID],
    [`ipfs://${CID}/a%2520b//c?x=1#y`, `${CID}/a%2520b/c`],
    [`ipfs://${CID}/ключ`, `${CID}/%D0%BA%D0%BB%D1%8E%D1%87`],
  ])('reads %s', (uri, path) => expect(parseMetadataUri(uri)).toEqual({ kind: 'ipfs', path }))

  it.each([`ar://${TRANSACTION}`, `arweave://${TRANSACTION}`, `AR:${TRANSACTION}`])('reads %s', uri => {
    expect(parseMetadataUri(uri)).toEqual({ kind: 'arweave', path: TRANSACTION })
  })

  it.each([
    [`data:application/json,{"a":"b"}`, '{"a":"b"}'],
    [`data:,%7B%22a%22%3A1%7D`, '{"a":1}'],
    [`data:application/json;base64,${btoa('{"a":1}')}`, '{"a":1}'],
    [`DATA:Application/JSON;charset=utf-8;BASE64, ${btoa('{"a":1}')}`, '{"a":1}'],
    [`data:application/json;utf8,{"image":"<svg fill='#fff' width='50%'/>"}`, `{"image":"<svg fill='#fff' width='50%'/>"}`],
    [`data:application/json;utf8,{"a":"\u00fc%C3%BC"}`, '{"a":"üü"}'],
    [' {"description":"the JSON itself"} ', '{"description":"the JSON itself"}'],
  ])('reads what stands in %s', (uri, text) => expect(parseMetadataUri(uri)).toEqual({ kind: 'text', text }))

  it.each([
    ['', 'malformed'],
    ['ipfs://', 'malformed'],
    ['ipfs://alpha', 'malformed'],
    [`ipfs://${CID}/../../api`, 'malformed'],
    [`ipfs://${CID}/%2e%2e/x`, 'malformed'],
    [`ipfs://${CID}/a%2fb`, 'malformed'],
    [`ipfs://${CID}/%`, 'malformed'],
    [`ipfs://user@${CID}`, 'malformed'],
    [`ipfs://${CID}@169.254.169.254/`, 'malformed'],
    ['ar://name', 'malformed'],
    ['https://', 'malformed'],
    ['http://[::1', 'malformed'],
    ['data:application/json', 'malformed'],
    ['data:application/json;base64,***', 'malformed'],
    ['data:image/png;base64,AAAA', 'unsupported'],
    ['ftp://files.example/x.json', 'unsupported'],
    ['file:///etc/passwd', 'unsupported'],
    ['javascript:alert(1)', 'unsupported'],
    ['gopher://127.0.0.1:6379/_FLUSHALL', 'unsupported'],
  ])('refuses %j as %s', (uri, problem) => expect(parseMetadataUri(uri)).toEqual({ kind: 'none', problem }))

  it('never leads out of the content on a gateway, whatever stands in the URI', () => {
    const gateways = { ipfs: ['https://gateway.example/base'], arweave: ['http://127.0.0.1:1984'] }
    const piece = fc.oneof(
      fc.constantFrom('/', '..', '.', '%2e', '%2E%2E', '%2f', '\\', '%5c', '?', '#', '@', ':', '%00', '%', '\t', CID, 'a'),
      anyText(4),
    )
    const root = fc.constantFrom(`ipfs://${CID}`, `ar://${TRANSACTION}`, `ipfs://`, `ipfs://ipfs/${OLD_CID}`)
    fc.assert(
      fc.property(root, fc.array(piece, { maxLength: 8 }), (start, pieces) => {
        const parsed = parseMetadataUri(start + pieces.join(''))
        if (parsed.kind !== 'ipfs' && parsed.kind !== 'arweave') return
        const [{ url } = expect.unreachable()] = locate(parsed, gateways)
        const [content] = parsed.path.split('/')
        const base = parsed.kind === 'ipfs' ? 'https://gateway.example/base/ipfs' : 'http://127.0.0.1:1984'
        expect(url.href === `${base}/${content}` || url.href.startsWith(`${base}/${content}/`)).toBe(true)
        expect(url.search + url.hash + url.username).toBe('')
      }),
      { numRuns: 500 },
    )
  })

  it('takes any text, however long, without throwing', () => {
    fc.assert(
      fc.property(anyText(300), text => {
        for (const prefix of ['', 'ipfs://', 'data:', 'data:;base64,', 'https://', 'ar://', '{']) parseMetadataUri(prefix + text)
      }),
    )
    expect(parseMetadataUri(`ipfs://${'/'.repeat(1_000_000)}`).kind).toBe('none')
    expect(parseMetadataUri(`data:,${'%20'.repeat(300_000)}`).kind).toBe('text')
  })
})
