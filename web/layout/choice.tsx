/** A choice of few values, written into the address. */
import { type Choices, choose } from '../client/location.ts'

type ChoiceProps<Value extends string> = {
  /** Parameter of the address. */
  name: string
  /** For screen readers. */
  label: string
  values: readonly Value[]
  chosen: Value
  /** The value that the address leaves out. */
  usual: Value
  textOf?: (value: Value) => string
  /** Choices that another value changes as well: a list goes back to its first page. */
  also?: Choices
}

export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { name, label, values, chosen, usual, textOf = (value) => value, also } = props
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      {values.map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => choose(name, value === usual ? undefined : value, also)}
        >
          {textOf(value)}
        </button>
      ))}
    </fieldset>
  )
}
