import type { ClaimCall } from '#client/generated/types.ts'
import type { Address } from '#domain/address.ts'

/** A wallet in the browser, as EIP-1193 describes it. */
interface Wallet {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

/** A claim that the creator sends. */
export interface ClaimOrder {
  readonly chainId: number
  readonly creator: Address
  readonly call: ClaimCall
}

/** `sent`: with the hash of the transaction, which is not mined yet. Otherwise why nothing was sent, for the user. */
export type ClaimOutcome = { readonly sent: string } | { readonly sent: null; readonly reason: string }

/** EIP-1193: the user declined. */
const DECLINED = 4001

/** The browser's wallet; `null` when there is none. Wallets appear after the page has started. */
export function browserWallet(): Wallet | null {
  const { ethereum } = globalThis as { ethereum?: Partial<Wallet> }
  return typeof ethereum?.request === 'function' ? (ethereum as Wallet) : null
}

/** Whether the wallet has let the page see this account. Asks the user nothing. */
export async function hasAccount(wallet: Wallet, account: Address): Promise<boolean> {
  try {
    return includes(await wallet.request({ method: 'eth_accounts' }), account)
  } catch {
    return false
  }
}

const includes = (accounts: unknown, account: Address) =>
  Array.isArray(accounts) && accounts.some(each => String(each).toLowerCase() === account)

/** Asks the wallet to send exactly this call from the creator's account on the token's chain. Never rejects. */
export async function sendClaim(wallet: Wallet, { chainId, creator, call }: ClaimOrder): Promise<ClaimOutcome> {
  const wantedChain = `0x${chainId.toString(16)}`
  try {
    if (!includes(await wallet.request({ method: 'eth_requestAccounts' }), creator))
      return refused('Only the creator’s account can claim. Choose it in the wallet.')
    if ((await chainOf(wallet)) !== wantedChain) {
      await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wantedChain }] })
      if ((await chainOf(wallet)) !== wantedChain) return refused(`Switch the wallet to chain ${chainId}.`)
    }
    const { to, data } = call
    const hash = await wallet.request({ method: 'eth_sendTransaction', params: [{ from: creator, to, data }] })
    return typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash)
      ? { sent: hash.toLowerCase() }
      : refused('The wallet did not say whether it sent the claim.')
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null
    return refused(code === DECLINED ? 'The wallet declined.' : 'The wallet could not send the claim.')
  }
}

const refused = (reason: string): ClaimOutcome => ({ sent: null, reason })

/** In the form that EIP-1193 asks for: hexadecimal without leading zeros. */
async function chainOf(wallet: Wallet): Promise<string> {
  const chain = await wallet.request({ method: 'eth_chainId' })
  return `0x${Number(chain).toString(16)}`
}
