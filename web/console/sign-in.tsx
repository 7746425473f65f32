/** Signing in with the operator token, and out. The token is sent in Authorization, never in an address or a body. */
import { useEffect, useRef } from 'preact/hooks'
import { Problem, send } from '../client/request.ts'
import { ActionForm, type Fields } from './parts/actions.tsx'
import { Notice } from './parts/notice.tsx'
import { DELETE, POST } from './parts/request.ts'

const SESSION_PATH = '/admin/session'
/** Characters of a header. */
const TOKEN = /^[\x21-\x7e]+$/
/** Paths of the console, to which a page sends after signing in. */
const NEXT = /^\/admin(\/[\w-]+)*$/
const REFUSAL = 'this is not the operator token'

export function SignIn() {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <section class="panel sign-in">
      <h1>Sign in with the operator token</h1>
      <Notice />
      <p class="quiet">The console is for operators of this installation.</p>
      <ActionForm class="" submitText="Sign in" submit={signIn} staysFilled>
        <label>
          Operator token (ADMIN_TOKEN)
          <input
            ref={field}
            name="token"
            type="password"
            autocomplete="current-password"
            required
          />
        </label>
      </ActionForm>
    </section>
  )
}

async function signIn({ token = '' }: Fields): Promise<void> {
  if (!TOKEN.test(token)) throw new Error(REFUSAL)
  try {
    await send(SESSION_PATH, { ...POST, headers: { Authorization: `Bearer ${token}` } })
  } catch (cause) {
    throw cause instanceof Problem && cause.kind === 'key' ? new Error(REFUSAL) : cause
  }
  const next = new URLSearchParams(location.search).get('next') ?? ''
  location.assign(NEXT.test(next) ? next : '/admin')
}

/** Ends the session, and shows the page to sign in. */
export async function signOut(): Promise<void> {
  await send(SESSION_PATH, DELETE)
  location.assign('/admin')
}
