/** What a route that does not ignore silently says of parameters that it does not know. Pure. */

export function warningsOf(unsupported: readonly string[]): string[] {
  return unsupported.map((name) => `unsupported parameter "${name}": it was ignored`)
}
