/** A page, or a part of one, whose program is fetched when it is shown for the first time. */
import { signal } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
import { Layout } from './layout.tsx'

/** `frameOf`: draws the text that is shown until the program is there. */
export function deferred<Props extends object>(
  fetchProgram: () => Promise<ComponentType<Props>>,
  frameOf: (text: string) => ComponentChildren = pageOf,
): ComponentType<Props> {
  const program = signal<ComponentType<Props> | undefined>(undefined)
  const text = signal('Loading…')
  let isFetched = false
  return (props) => {
    if (!isFetched) {
      isFetched = true
      fetchProgram().then(
        (found) => {
          program.value = found
        },
        () => {
          text.value = 'This part could not be fetched: reload the page.'
        },
      )
    }
    const Program = program.value
    return Program === undefined ? frameOf(text.value) : <Program {...props} />
  }
}

function pageOf(text: string) {
  return (
    <Layout title="Loading">
      <p class="quiet" role="status">
        {text}
      </p>
    </Layout>
  )
}
