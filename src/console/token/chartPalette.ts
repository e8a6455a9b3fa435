import type { MarkerColours } from './markersOf.ts'

/** The chart's colours in the current theme. */
export interface Palette extends MarkerColours {
  readonly ink: string
  readonly line: string
  readonly surface: string
}

/** A canvas can not use CSS variables, so a hidden element resolves them. */
export function paletteOf(element: HTMLElement): Palette {
  const probe = document.createElement('span')
  probe.hidden = true
  element.append(probe)
  const resolve = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const palette = {
    ink: resolve('ink-3'),
    line: resolve('line'),
    up: resolve('up'),
    down: resolve('down'),
    accent: resolve('accent'),
    surface: resolve('surface'),
  }
  probe.remove()
  return palette
}

/** @param rgb - as `getComputedStyle` writes it: `rgb(1, 2, 3)` */
export function withAlpha(rgb: string, alpha: number): string {
  return rgb.replace(/^rgb\((.+)\)$/, `rgba($1, ${alpha})`)
}
