import type { Holder, HolderType } from '#client/generated/types.ts'

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

/** How the account came by the token early. That it is the creator, its type says. */
export function EarlyTags({ classes }: Pick<Holder, 'classes'>) {
  return classes?.map(name =>
    name === 'creator' ? null : (
      <span key={name} class="tag early fair">
        {name}
      </span>
    ),
  )
}
