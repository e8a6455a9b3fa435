import { formatCompact, fromUnits } from '#client/decimalText.ts'
import type { Token } from '#client/generated/types.ts'
import { formatCount } from '#console/format/numbers.ts'
import { displayText } from '#console/format/text.ts'
import { formatMoment } from '#console/format/time.ts'
import { Copy } from '#console/parts/copy.tsx'
import { HexLink } from '#console/parts/hexLink.tsx'
import { Pair, Pairs } from '#console/parts/pairs.tsx'
import { Unknown } from '#console/parts/value.tsx'

/** Characters shown of texts from the chain, which can have any length. */
const MAX_DESCRIPTION = 400

const LINK_NAMES = { x: 'X', telegram: 'Telegram', discord: 'Discord', farcaster: 'Farcaster', github: 'GitHub' } as const

/** Facts that do not change or are rarely needed. */
export function Facts({ token }: { readonly token: Token }) {
  const { pool, metadataUri, description } = token
  const metadata = displayText(metadataUri, 60)
  const about = displayText(description, MAX_DESCRIPTION)
  return (
    <section class="card late" aria-labelledby="facts-title">
      <h2 id="facts-title">Details</h2>
      {about === null ? null : (
        <p class="card-body about">
          <bdi>{about}</bdi>
        </p>
      )}
      {token.links.length === 0 ? null : (
        <ul class="card-body links" aria-label="Links of the creator">
          {token.links.map(({ kind, url }) => (
            <li key={url}>
              <a href={url} target="_blank" rel="noopener noreferrer nofollow ugc" title={url} data-testid="creator-link">
                {kind === 'website' || kind === 'other' ? new URL(url).hostname : LINK_NAMES[kind]}
              </a>
            </li>
          ))}
        </ul>
      )}
      <Pairs>
        <Pair name="Supply">{formatCompact(fromUnits(token.totalSupply, token.decimals))}</Pair>
        <Pair name="Decimals">{token.decimals}</Pair>
        <Pair name="Pool fee">{pool === null || pool.feeBps === null ? <Unknown /> : `${(pool.feeBps / 100).toFixed(2)}%`}</Pair>
        <Pair name="As of block">{formatCount(token.asOfBlock)}</Pair>
        <Pair wide name="Pool">
          {pool === null ? (
            <Unknown />
          ) : (
            <>
              <span class="tag">{pool.type}</span> <HexLink hex={pool.address} of="pool" kind="address" />
            </>
          )}
        </Pair>
        <Pair wide name="Launched">
          {formatMoment(token.createdAt)}
        </Pair>
        <Pair name="Launched through">
          <Surface surface={token.surface} />
        </Pair>
        <Pair name="Launch transaction">
          <HexLink hex={token.createdTxHash} of="launch transaction" kind="tx" />
        </Pair>
        <Pair wide name="Metadata">
          {metadata === null || metadataUri === null ? (
            <Unknown />
          ) : (
            <span class="uri">
              <bdi class="mono">{metadata}</bdi> <Copy text={metadataUri} of="metadata address" />
            </span>
          )}
        </Pair>
      </Pairs>
    </section>
  )
}

/** The front end that the launch names: its name, or the address of a referrer. */
function Surface({ surface }: Pick<Token, 'surface'>) {
  const name = displayText(surface)
  if (name === null) return <Unknown />
  return /^0x[0-9a-f]{40}$/.test(name) ? <HexLink hex={name} of="referrer" kind="address" /> : <bdi>{name}</bdi>
}
