/** Exchange of an API key for a session of this browser. The key leaves the page in a header, once. */
import { useSignal } from '@preact/signals'
import { reconnect } from '../client/feed.ts'
import { view } from '../client/location.ts'
import { Problem, signIn } from '../client/request.ts'
import { noteSignIn } from '../client/session.ts'

export function SignIn() {
  const key = useSignal('')
  const problem = useSignal('')
  const isExpiredLink = view.value.query.get('link') === 'expired'
  const submit = async (): Promise<void> => {
    try {
      await signIn(key.value.trim())
      key.value = ''
      noteSignIn()
      reconnect()
    } catch (cause) {
      problem.value = cause instanceof Problem ? cause.message : String(cause)
    }
  }
  return (
    <section class="panel sign-in">
      <h1>Sign in with an API key</h1>
      {isExpiredLink && (
        <p class="stale">
          This link was used before, or it has expired. Each link signs in one browser.
        </p>
      )}
      <p class="quiet">
        <code>swaptide up</code> prints a link that signs this browser in, and a key. The key is
        stored by this browser as an encrypted cookie that only these pages can use.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <label>
          API key
          <input
            type="password"
            autocomplete="off"
            required
            spellcheck={false}
            value={key.value}
            onInput={(event) => {
              key.value = event.currentTarget.value
            }}
          />
        </label>
        <button type="submit" class="button main">
          Sign in
        </button>
      </form>
      {problem.value !== '' && (
        <p class="trouble" role="alert">
          {problem.value}
        </p>
      )}
    </section>
  )
}
