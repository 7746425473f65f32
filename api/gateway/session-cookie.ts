/**
 * Names of session cookies. A browser sends the cookies of a host to each of its ports, so a cookie of one name would be
 * overwritten by every other installation on the host: the name ends with the port that the browser sees. Pure.
 */

/** `host`: the header Host, whose port is absent where it is the one of the scheme. */
export function cookieNameOf(base: string, host: string): string {
  const port = /:(\d{1,5})$/.exec(host)?.[1]
  return port === undefined ? base : `${base}-${port}`
}

/** Value of a cookie in the header Cookie; undefined where it is absent or empty. */
export function cookieValueOf(header: string, name: string): string | undefined {
  const pairs = header.split(';').map((pair) => pair.trim().split('='))
  const value = pairs.find(([each]) => each === name)?.[1]
  return value === '' ? undefined : value
}
