import { useSignal } from '@preact/signals'
import { Copy } from '#console/parts/copy.tsx'
import { HexLink } from '#console/parts/hexLink.tsx'
import { browserWallet, type ClaimOrder, type ClaimOutcome, sendClaim } from '#console/state/wallet.ts'

interface ClaimButtonProps {
  readonly order: ClaimOrder
  /** Whether there is anything to claim. */
  readonly isDue: boolean
}

/** Sends the claim with the wallet in the browser. Its call is also shown, for other wallets. */
export function ClaimButton({ order, isDue }: ClaimButtonProps) {
  const state = useSignal<'idle' | 'asking' | ClaimOutcome>('idle')
  const claim = async () => {
    const wallet = browserWallet()
    state.value = 'asking'
    state.value = wallet === null ? NO_WALLET : await sendClaim(wallet, order)
  }
  const { to, data } = order.call
  const outcome = typeof state.value === 'string' ? null : state.value
  return (
    <>
      {isDue ? (
        <button type="button" class="button main" disabled={state.value === 'asking'} onClick={() => void claim()}>
          {state.value === 'asking' ? 'Asking the wallet' : 'Claim'}
        </button>
      ) : null}
      <p role="status" class={outcome?.sent === null ? 'warn' : undefined}>
        {outcome === null ? null : outcome.sent === null ? (
          outcome.reason
        ) : (
          <>
            Sent as <HexLink hex={outcome.sent} of="claim transaction" kind="tx" copy />
          </>
        )}
      </p>
      <details>
        <summary>Call data</summary>
        <dl class="call">
          <div>
            <dt>to</dt>
            <dd>
              <span class="mono">{to}</span>
              <Copy text={to} of="contract to call" />
            </dd>
          </div>
          <div>
            <dt>data</dt>
            <dd>
              <span class="mono">{data}</span>
              <Copy text={data} of="call data" />
            </dd>
          </div>
        </dl>
      </details>
    </>
  )
}

const NO_WALLET: ClaimOutcome = { sent: null, reason: 'This browser has no wallet. Send the call below from the creator’s account.' }
