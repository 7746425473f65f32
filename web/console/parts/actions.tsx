/** Buttons and forms that change something: disabled while they do, with the error of a failure above the page. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { say } from './notice.tsx'

function useAction() {
  const isBusy = useSignal(false)
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    isBusy.value = true
    say('')
    try {
      await work()
    } catch (cause) {
      say(cause instanceof Error ? cause.message : String(cause), 'bad')
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy: isBusy.value, run }
}

type ActionButtonProps = {
  id?: string
  text: string
  work: () => Promise<unknown>
  isDangerous?: boolean
  isDisabled?: boolean
}

export function ActionButton(props: ActionButtonProps) {
  const { id, text, work, isDangerous = false, isDisabled = false } = props
  const { isBusy, run } = useAction()
  return (
    <button
      id={id}
      type="button"
      class={isDangerous ? 'button danger' : 'button'}
      disabled={isBusy || isDisabled}
      onClick={() => void run(work)}
    >
      {text}
    </button>
  )
}

/** Values of the fields by name. */
export type Fields = Readonly<Record<string, string>>

type ActionFormProps = {
  submitText: string
  submit: (fields: Fields) => Promise<unknown>
  /** The fields stay as they are after a success. */
  staysFilled?: boolean
  class?: string
  children: ComponentChildren
}

export function ActionForm(props: ActionFormProps) {
  const { submitText, submit, staysFilled = false, class: name = 'row', children } = props
  const { isBusy, run } = useAction()
  return (
    <form
      class={name}
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        const given = Array.from(new FormData(form), ([field, value]) => [field, String(value)])
        void run(async () => {
          await submit(Object.fromEntries(given))
          if (!staysFilled) form.reset()
        })
      }}
    >
      {children}
      <button type="submit" class="button main" disabled={isBusy}>
        {submitText}
      </button>
    </form>
  )
}

type OnceShownProps = { id: string; text: string; secret: string }

/** A secret that the server shows once. */
export function OnceShown({ id, text, secret }: OnceShownProps) {
  return (
    <>
      <p>{text} Store it now: it is never shown again.</p>
      <div class="secret">
        <code id={id}>{secret}</code>
        <ActionButton text="Copy" work={() => navigator.clipboard.writeText(secret)} />
      </div>
    </>
  )
}
