import { useRef } from 'preact/hooks'
import type { Access } from '#console/state/operator.ts'

interface TokenFormProps {
  readonly access: Extract<Access, 'token' | 'wrong' | 'closed'>
  readonly onToken: (token: string) => void
}

/** Asks for the operator token. Not a password field, because browsers offer to store passwords. */
export function TokenForm({ access, onToken }: TokenFormProps) {
  const field = useRef<HTMLInputElement>(null)
  if (access === 'closed') {
    return (
      <section class="card" aria-labelledby="closed-title">
        <h2 id="closed-title">Actors</h2>
        <p class="card-body quiet">
          Operator routes are closed here: without OPERATOR_TOKEN they answer on a loopback HOST alone, to this machine, with no proxy in
          between.
        </p>
      </section>
    )
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const token = field.current?.value.trim() ?? ''
    if (field.current !== null) field.current.value = ''
    if (token !== '') onToken(token)
  }
  return (
    <section class="card" aria-labelledby="token-title">
      <h2 id="token-title">Actors</h2>
      <form class="card-body token-form" onSubmit={submit}>
        <label for="operator-token">Operator token</label>
        <div class="token-row">
          <input
            ref={field}
            id="operator-token"
            class="field masked mono"
            type="text"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            required
            aria-describedby="token-note"
            aria-invalid={access === 'wrong'}
          />
          <button type="submit" class="button main">
            Unlock
          </button>
        </div>
        <p id="token-note" class={access === 'wrong' ? 'down' : 'quiet'} role={access === 'wrong' ? 'alert' : undefined}>
          {access === 'wrong' ? 'This is not the operator token. ' : 'It stays in the memory of this page and is gone with it. '}
          It is what OPERATOR_TOKEN is set to or, where that is not set, what is in the file operator-token under DATA_DIR on the server.
        </p>
      </form>
    </section>
  )
}
