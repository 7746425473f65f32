/** A page whose program is fetched when it is opened for the first time. */
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { Layout } from './layout.tsx'

export function deferred<Props extends object>(
  fetchPage: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const page = signal<ComponentType<Props> | undefined>(undefined)
  const problem = signal('')
  let isFetched = false
  return (props) => {
    if (!isFetched) {
      isFetched = true
      fetchPage().then(
        (found) => {
          page.value = found
        },
        () => {
          problem.value = 'This page could not be fetched: reload it.'
        },
      )
    }
    const Page = page.value
    if (Page !== undefined) return <Page {...props} />
    return (
      <Layout title="Loading">
        <p class="quiet" role="status">
          {problem.value === '' ? 'Loading…' : problem.value}
        </p>
      </Layout>
    )
  }
}
