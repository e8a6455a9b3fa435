import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Notice } from './notice.tsx'

/** A view whose code is loaded when it is first shown. */
export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | 'failed' | null>(null)
  const start = () => {
    loaded.value = null
    load().then(
      view => {
        loaded.value = view
      },
      () => {
        loaded.value = 'failed'
      },
    )
  }
  return function LazyView(props: Props) {
    useEffect(() => {
      if (loaded.peek() === null) start()
    }, [])
    const View = loaded.value
    if (View === null) {
      return (
        <p class="quiet" role="status">
          Loading
        </p>
      )
    }
    // Browsers do not request a failed module again, and a newer service has other files.
    return View === 'failed' ? (
      <Notice heading urgent title="The page could not be loaded" action={{ text: 'Load again', run: () => location.reload() }} />
    ) : (
      <View {...props} />
    )
  }
}
