import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Token } from '#client/generated/types.ts'
import { displayText, shortHex } from '#console/format/text.ts'
import { Avatar } from '#console/parts/avatar.tsx'
import { Symbol } from '#console/parts/tokenName.tsx'
import { Money } from '#console/parts/value.tsx'
import { DEFAULT_QUERY, hrefOf } from '#console/state/route.ts'
import { client } from '#console/state/session.ts'
import { createSuggestions } from '#console/state/suggestions.ts'

const LIST_ID = 'suggestions'

/** Search from every view, as a combobox of ARIA: `/` focuses it, arrow keys choose, Enter opens. */
export function SearchBox() {
  const suggestions = useMemo(() => createSuggestions(client), [])
  const input = useRef<HTMLInputElement>(null)
  const isOpen = useSignal(false)
  const active = useSignal(0)
  useEffect(() => () => suggestions.stop(), [suggestions])
  useEffect(() => focusBySlash(() => input.current), [])
  const { text } = suggestions
  const wanted = text.value.trim()
  const wallet = /^0x[0-9a-f]{40}$/i.test(wanted) ? wanted.toLowerCase() : null
  // The suggestions may still be those for a part of the address.
  const tokens = wallet === null ? suggestions.tokens.value : suggestions.tokens.value.filter(({ address }) => address === wallet)
  // After the tokens come the wallet of a whole address, and the list of the market.
  const hrefs = [
    ...tokens.map(({ address }) => hrefOf({ view: 'token', address })),
    ...(wallet === null ? [] : [hrefOf({ view: 'wallet', address: wallet })]),
    hrefOf({ view: 'market', query: { ...DEFAULT_QUERY, q: wanted } }),
  ]
  const isShown = isOpen.value && wanted !== ''
  const chosen = Math.min(active.value, hrefs.length - 1)

  const close = () => {
    isOpen.value = false
  }
  const open = (index: number) => {
    location.hash = hrefs[index] ?? ''
    text.value = ''
    close()
    input.current?.blur()
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    else if (isShown && event.key === 'Enter') open(chosen)
    else if (isShown && event.key === 'ArrowDown') active.value = (chosen + 1) % hrefs.length
    else if (isShown && event.key === 'ArrowUp') active.value = (chosen + hrefs.length - 1) % hrefs.length
    else return
    event.preventDefault()
  }
  return (
    <search class="search-box">
      <input
        ref={input}
        class="field"
        type="search"
        role="combobox"
        list={undefined}
        maxLength={100}
        placeholder="Search tokens  /"
        aria-label="Search all tokens"
        aria-keyshortcuts="/"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={LIST_ID}
        aria-activedescendant={isShown ? `${LIST_ID}-${chosen}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={event => {
          text.value = event.currentTarget.value
          active.value = 0
          isOpen.value = true
        }}
        onFocus={() => (isOpen.value = true)}
        onBlur={close}
        onKeyDown={pressed}
      />
      {/* A press on an option must not take the focus, which would close the list before the click. */}
      <div id={LIST_ID} class="suggestions" role="listbox" aria-label="Tokens" hidden={!isShown} onMouseDown={stay}>
        {hrefs.map((href, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          <div
            key={href}
            id={`${LIST_ID}-${index}`}
            class="suggestion"
            role="option"
            aria-selected={index === chosen}
            onClick={() => open(index)}
          >
            {index < tokens.length ? (
              <Suggestion token={tokens[index] as Token} />
            ) : wallet !== null && index < hrefs.length - 1 ? (
              <span>
                Wallet <span class="mono">{shortHex(wallet)}</span>
              </span>
            ) : (
              `All results for “${displayText(wanted, 24)}”`
            )}
          </div>
        ))}
      </div>
    </search>
  )
}

function Suggestion({ token: { address, symbol, name, market } }: { readonly token: Token }) {
  return (
    <>
      <Avatar address={address} symbol={symbol} />
      <span class="token-words">
        <strong>
          <Symbol address={address} symbol={symbol} />
        </strong>
        <span class="token-name">
          <bdi>{displayText(name, 32) ?? '–'}</bdi> · <span class="mono">{shortHex(address)}</span>
        </span>
      </span>
      <Money usd={market.marketCapUsd} weth={market.marketCapWeth} />
    </>
  )
}

const stay = (event: Event) => event.preventDefault()

/** `/` focuses the field. */
function focusBySlash(field: () => HTMLInputElement | null): () => void {
  const pressed = (event: KeyboardEvent) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof HTMLElement && target.matches('input:not([type="radio"]), textarea, select')
    if (key !== '/' || ctrlKey || metaKey || altKey || isTyping) return
    event.preventDefault()
    field()?.focus()
  }
  document.addEventListener('keydown', pressed)
  return () => document.removeEventListener('keydown', pressed)
}
