import { useEffect, useMemo } from 'preact/hooks'
import { shortHex } from '#console/format/text.ts'
import { Copy } from '#console/parts/copy.tsx'
import { HexIconLink } from '#console/parts/hexLink.tsx'
import { BackIcon } from '#console/parts/icons.tsx'
import { Notice } from '#console/parts/notice.tsx'
import { hrefOf, lastMarket } from '#console/state/route.ts'
import { client, live, returns, settings, tokenNames } from '#console/state/session.ts'
import { createWalletDetail } from '#console/state/walletDetail.ts'
import { Created } from './created.tsx'
import { Holdings } from './holdings.tsx'
import { WalletClaims } from './walletClaims.tsx'
import { WalletSummary } from './walletSummary.tsx'
import { WalletTrades } from './walletTrades.tsx'
import '#console/style/wallet.css'

export function WalletView({ address }: { readonly address: string }) {
  const detail = useMemo(() => createWalletDetail({ client, live, names: tokenNames, address, returns }), [address])
  useEffect(() => {
    document.title = `${shortHex(address)} · Tokenwire`
    return () => detail.stop()
  }, [detail, address])
  const { value, failure } = detail.summary.value
  return (
    <>
      <p class="way-back">
        <a href={hrefOf({ view: 'market', query: lastMarket.value })}>
          <BackIcon /> Market
        </a>
      </p>
      <div class="wallet-head">
        <h1>
          <span class="quiet">Wallet</span> <span class="mono">{shortHex(address)}</span>
        </h1>
        <Copy text={address} of="wallet address" />
        {settings.value.explorerUrl === null ? null : <HexIconLink hex={address} of="wallet" kind="address" />}
      </div>
      {value === null && failure !== null ? (
        <Notice urgent title="The wallet could not be loaded">
          {failure.message}
        </Notice>
      ) : (
        <>
          <WalletSummary wallet={value} />
          <div class="wallet-grid">
            <div class="wallet-main">
              <Holdings holdings={detail.holdings} sort={detail.sort} />
              <WalletTrades trades={detail.trades} />
            </div>
            <div class="wallet-side">
              <WalletClaims claims={detail.claims} address={address} />
              <Created tokens={detail.created} count={value?.tokensCreated ?? null} />
            </div>
          </div>
        </>
      )}
    </>
  )
}
