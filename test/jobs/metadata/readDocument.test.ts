import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDocument } from '#jobs/metadata/readDocument.ts'

const CID = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const TRANSACTION = 'sHqUBKFeS42-CMCvNqPR31yEP63qSJG3ImshfwzJJF8'
const GATEWAYS = { ipfs: ['http://10.0.0.5:8080', 'https://gateway.example'], arweave: ['https://ar.example'] }
const options = { gateways: GATEWAYS, allowHttp: false }

const read = (document: unknown) => readDocument(JSON.stringify(document), options)
const imageOf = (image: unknown, more: object = {}) => readDocument(JSON.stringify({ image }), { ...options, ...more })?.imageUrl

/** Any UTF-16 at all, halves of pairs included. */
const anyText = (maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength }).map(units => String.fromCharCode(...units))

describe('readDocument', () => {
  it.each(['', 'null', '[]', '"text"', '7', '{', '{"a":1', '<html></html>', '{"a":1}{', '['.repeat(200_000)])('refuses %.20s', text => {
    expect(readDocument(text, options)).toBeNull()
  })

  it('takes an object with whatever in it', () => {
    expect(read({})).toEqual({ imageUrl: null, description: null, links: [] })
    expect(read({ description: 7, image: { url: 'x' }, links: 'none' })).toEqual({ imageUrl: null, description: null, links: [] })
    expect(readDocument('\uFEFF{"description":"after a mark"}', options)?.description).toBe('after a mark')
    expect(readDocument('{"__proto__":{"description":"x"},"description":"y"}', options)?.description).toBe('y')
  })

  it('takes nesting as deep as a document can be', () => {
    const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`
    const text = `{"description":${deep},"image":${deep},"links":${deep},"socialMediaUrls":[{"platform":${deep},"url":"https://a.example/"}]}`
    expect(readDocument(text, options)?.links).toEqual([{ kind: 'other', url: 'https://a.example/' }])
  })

  it('cleans and cuts the description', () => {
    expect(read({ description: ' a\0b\ud800 ' })?.description).toBe('ab\ufffd')
    expect(read({ description: '  ' })?.description).toBeNull()
    expect([...(read({ description: '😀'.repeat(100_000) })?.description ?? '')]).toHaveLength(4_096)
  })

  it.each([
    [`ipfs://${CID}/a.png`, `https://gateway.example/ipfs/${CID}/a.png`],
    [CID, `https://gateway.example/ipfs/${CID}`],
    [`ar://${TRANSACTION}`, `https://ar.example/${TRANSACTION}`],
    ['https://images.example/a b.png?x=1#y', 'https://images.example/a%20b.png?x=1#y'],
    [' https://images.example/a.png\n', 'https://images.example/a.png'],
    ['data:image/png;base64,AAAA', 'data:image/png;base64,AAAA'],
    ["data:image/svg+xml;utf8,<svg xmlns='x'/>", "data:image/svg+xml;utf8,<svg xmlns='x'/>"],
    ['http://images.example/a.png', null],
    ['https://images.example:8443/a.png', null],
    ['https://user@images.example/a.png', null],
    ['https://192.168.0.1/reboot', null],
    ['https://localhost/a.png', null],
    ['//images.example/a.png', null],
    ['a.png', null],
    ['javascript:alert(1)', null],
    ['data:text/html,<script>alert(1)</script>', null],
    [`data:image/png;base64,${'A'.repeat(4_096)}`, null],
    [`data:image/svg+xml,${'"'.repeat(3_000)}`, null],
    [`data:image/svg+xml,${'ж'.repeat(3_000)}`, null],
    [`https://images.example/${'a'.repeat(2_048)}`, null],
    ['', null],
  ])('gives the image %.60s as %.60s', (image, url) => expect(imageOf(image)).toBe(url))

  it('gives an http image when that is allowed, and ipfs:// when no gateway may be named', () => {
    expect(imageOf('http://images.example/a.png', { allowHttp: true })).toBe('http://images.example/a.png')
    const gateways = { ipfs: ['http://10.0.0.5:8080', 'https://gateway.example/s3cret'], arweave: ['http://127.0.0.1'] }
    expect(imageOf(`ipfs://ipfs/${CID}/1 2.png`, { gateways })).toBe(`ipfs://${CID}/1%202.png`)
    expect(imageOf(`ar://${TRANSACTION}`, { gateways })).toBe(`ar://${TRANSACTION}`)
  })

  it('takes the first image that can be used', () => {
    expect(read({ image: '', image_url: 'a.png', logoURI: 'https://images.example/logo.png' })?.imageUrl).toBe(
      'https://images.example/logo.png',
    )
  })

  it('finds links by name, in groups and in lists, each once', () => {
    const document = {
      external_url: 'https://token.example',
      twitter: 'https://x.com/token',
      telegram: '@token',
      discord: 'http://discord.example/token',
      links: { website: 'https://token.example', github: 'https://github.com/token' },
      socialMediaUrls: [
        { platform: 'farcaster', url: 'https://farcaster.xyz/token' },
        { platform: 'constructor', url: 'https://forum.example/' },
        'https://other.example/',
        { url: 'https://192.168.0.1/' },
        null,
      ],
    }
    expect(read(document)?.links).toEqual([
      { kind: 'website', url: 'https://token.example/' },
      { kind: 'x', url: 'https://x.com/token' },
      { kind: 'github', url: 'https://github.com/token' },
      { kind: 'farcaster', url: 'https://farcaster.xyz/token' },
      { kind: 'other', url: 'https://forum.example/' },
      { kind: 'other', url: 'https://other.example/' },
    ])
    const many = Array.from({ length: 1_000 }, (_, index) => `https://l${index}.example/`)
    expect(read({ socialMediaUrls: many })?.links).toHaveLength(8)
  })

  // Front ends and market-data sites show a link as one to X because of its kind.
  it('takes a kind that names a site only from a link to that site', () => {
    const called = {
      x: 'https://x.com.example/token',
      telegram: 'https://xt.me/token',
      discord: 'https://discord.com./token',
      github: 'https://www.github.com/token',
      website: 'https://x.com/token',
      socials: { twitter: 'https://mobile.twitter.com/token', farcaster: 'https://evil.example/?farcaster.xyz' },
    }
    expect(read(called)?.links).toEqual([
      { kind: 'website', url: 'https://x.com/token' },
      { kind: 'other', url: 'https://x.com.example/token' },
      { kind: 'other', url: 'https://xt.me/token' },
      { kind: 'discord', url: 'https://discord.com./token' },
      { kind: 'github', url: 'https://www.github.com/token' },
      { kind: 'x', url: 'https://mobile.twitter.com/token' },
      { kind: 'other', url: 'https://evil.example/?farcaster.xyz' },
    ])
  })

  it('keeps only what PostgreSQL takes and an update of 16 KB has room for, of any document', () => {
    const value = fc.oneof(anyText(20), fc.webUrl(), fc.jsonValue(), fc.constant(`ipfs://${CID}`))
    const keys = fc.constantFrom('description', 'image', 'image_url', 'logo', 'website', 'x', 'links', 'socials', 'name', 'extensions')
    fc.assert(
      fc.property(fc.dictionary(keys, value), document => {
        const result = read(document)
        const texts = [result?.imageUrl, result?.description, ...(result?.links ?? []).flatMap(link => [link.kind, link.url])]
        for (const text of texts) {
          if (text === null) continue
          expect(text?.isWellFormed() === true && !text.includes('\0') && text.length <= 8_192).toBe(true)
        }
      }),
      { numRuns: 40 },
    )
  })
})
