/**
 * Whether a page of an origin may use /mcp. A page whose host name was bound to this server's address (DNS rebinding) has the
 * same Origin and Host, so the two being equal proves nothing where the host is a name that anyone may bind. Pure.
 */

/** Names and addresses that no foreign name server answers for. */
const UNBINDABLE = /^(?:localhost|.+\.localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/i

/** `origin`: the header, empty where the client is no page. `host`: the header. `allowed`: origins of the setting. */
export function mayUse(origin: string, host: string, allowed: readonly string[]): boolean {
  if (origin === '' || allowed.includes(origin)) return true
  if (!URL.canParse(origin)) return false
  const source = new URL(origin)
  return UNBINDABLE.test(source.hostname) && source.host === host.toLowerCase()
}
