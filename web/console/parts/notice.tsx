/** The message above a page: what an action did, or why it failed. */
import { signal } from '@preact/signals'

const notice = signal<{ text: string; kind: 'good' | 'bad' }>({ text: '', kind: 'good' })

/** Shows a message until it is replaced; an empty text hides it. */
export function say(text: string, kind: 'good' | 'bad' = 'good'): void {
  notice.value = { text, kind }
}

export function Notice() {
  const { text, kind } = notice.value
  return (
    <div id="banner" role="status" class={`banner ${kind}`} hidden={text === ''}>
      {text}
    </div>
  )
}
