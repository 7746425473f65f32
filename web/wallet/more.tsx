/** Shows the next page of a list below the one before it. */

type MoreProps = { text: string; isShown: { value: boolean } }

export function MoreButton({ text, isShown }: MoreProps) {
  return (
    <button
      type="button"
      class="button"
      onClick={() => {
        isShown.value = true
      }}
    >
      {text}
    </button>
  )
}
