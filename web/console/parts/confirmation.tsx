/** A question before an action that cannot be undone. */
import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

type Question = { text: string; yes: string; answer: (isConfirmed: boolean) => void }

const question = signal<Question | undefined>(undefined)

/** Whether the operator confirms it. `yes`: the button that does. */
export function confirmed(text: string, yes: string): Promise<boolean> {
  return new Promise((answer) => {
    question.value = { text, yes, answer }
  })
}

/** Shows the open question. A page has one of it. */
export function Confirmation() {
  const open = question.value
  return open === undefined ? null : <Dialog of={open} />
}

function Dialog({ of: { text, yes, answer } }: { of: Question }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      aria-label={text}
      onClose={(event) => {
        question.value = undefined
        answer(event.currentTarget.returnValue === 'yes')
      }}
    >
      <p>{text}</p>
      <form method="dialog" class="row">
        <button type="submit" value="yes" class="button danger">
          {yes}
        </button>
        <button type="submit" value="no" class="button">
          Cancel
        </button>
      </form>
    </dialog>
  )
}
