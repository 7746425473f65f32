/**
 * Whether a request comes from a page of this host itself. A browser sends cookies by itself, and SameSite lets pages on
 * other ports of the host pass: a cookie alone must never authenticate.
 */

/** Headers of a request, empty where absent. */
type Provenance = {
  /** Sec-Fetch-Site. */
  site: string
  origin: string
  /** Sent with a GET over plain HTTP from a host that is not the local one, where browsers send no other of these. */
  referer?: string
  host: string
}

/** Reads Sec-Fetch-Site; browsers without it send Origin or Referer. */
export function isSameOrigin({ site, origin, referer = '', host }: Provenance): boolean {
  if (site !== '') return site === 'same-origin'
  const source = origin === '' ? referer : origin
  return URL.canParse(source) && new URL(source).host === host
}

/** Whether a page of another site sent the request; false without a header that names it, as programs send none. */
export function isOtherOrigin({ site, origin, host }: Provenance): boolean {
  if (site !== '') return site !== 'same-origin' && site !== 'none'
  return origin !== '' && !isSameOrigin({ site, origin, host })
}
