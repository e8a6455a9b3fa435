import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CopyIcon, DoneIcon } from './icons.tsx'

const SAID_MS = 1_500

interface CopyProps {
  readonly text: string
  /** What the text is, for screen readers: "address". */
  readonly of: string
}

/** Copies a text and confirms it for a moment. */
export function Copy({ text, of }: CopyProps) {
  const outcome = useSignal<'copied' | 'failed' | null>(null)
  useEffect(() => {
    if (outcome.value === null) return
    const timer = setTimeout(() => (outcome.value = null), SAID_MS)
    return () => clearTimeout(timer)
  }, [outcome.value])
  const copy = async () => {
    outcome.value = (await write(text)) ? 'copied' : 'failed'
  }
  const label = outcome.value === 'copied' ? `Copied ${of}` : outcome.value === 'failed' ? `Could not copy ${of}` : `Copy ${of}`
  return (
    <button type="button" class={`copy ${outcome.value === 'copied' ? 'done' : ''}`} title={label} onClick={() => void copy()}>
      {outcome.value === 'copied' ? <DoneIcon /> : <CopyIcon />}
      <span class="sr-only" aria-live="polite">
        {label}
      </span>
    </button>
  )
}

/** Browsers have a clipboard only on https and on localhost. */
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
