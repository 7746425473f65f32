/** Colours of the style sheet for what is drawn on a canvas, which has to be drawn again when the scheme changes. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const DARK = '(prefers-color-scheme: dark)'

/** Value of a custom property, as the current scheme resolves it. */
export function colorOf(name: `--${string}`): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** The scheme of the system; a change draws again. */
export function useScheme(): 'dark' | 'light' {
  const isDark = useSignal(matchMedia(DARK).matches)
  useEffect(() => {
    const query = matchMedia(DARK)
    const onChange = (): void => {
      isDark.value = query.matches
    }
    query.addEventListener('change', onChange)
    return () => query.removeEventListener('change', onChange)
  }, [])
  return isDark.value ? 'dark' : 'light'
}
