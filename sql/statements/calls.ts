/** Calls of functions in the text of a statement without comments. Pure. */

/** The text with each call of a function replaced by what is made of its arguments. Throws for a call that does not end. */
export function replaceCalls(
  text: string,
  name: string,
  made: (argument: string) => string,
): string {
  const call = new RegExp(`\\b${name}\\(`)
  let [done, rest] = ['', text]
  for (let found = call.exec(rest); found !== null; found = call.exec(rest)) {
    const from = found.index + found[0].length
    const end = endOfArgument(name, rest, from)
    done += rest.slice(0, found.index) + made(rest.slice(from, end))
    rest = rest.slice(end + 1)
  }
  return done + rest
}

/** Where the parenthesis closes that opened before `from`. */
function endOfArgument(name: string, text: string, from: number): number {
  let open = 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') open += 1
    else if (text[at] === ')') open -= 1
    if (open === 0) return at
  }
  throw new Error(`${name}() does not end in "${text.slice(from, from + 40)}"`)
}
