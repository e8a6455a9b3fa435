import type { HolderType } from '#client/generated/types.ts'

const KINDS: Readonly<Record<HolderType, string>> = {
  wallet: '',
  creator: 'accent',
  pool: 'good',
  curve: 'good',
  locker: 'fair',
  burn: 'bad',
  contract: '',
}

export function HolderTag({ type }: { readonly type: HolderType }) {
  return <span class={`tag ${KINDS[type]}`}>{type}</span>
}
