/**
 * Visitors: clients without a key. An installation with public pages serves them what its pages read.
 *
 * A visitor is known only by its address, an IPv6 network of 64 bits counting as one. The header of a proxy is read only
 * where the connection comes from a proxy that operators named, because every client can send it.
 *
 * ```
 * X-Forwarded-For: forged, 203.0.113.9, 10.0.0.7     connection from 10.0.0.8
 *                          ^ the visitor   `- trusted proxies, skipped from the right
 * ```
 * Decision: docs/decisions/0109-visitors-are-known-by-their-address.md
 */
import type { IncomingHttpHeaders } from 'node:http'
import { clientText, holdsAddress, type Network, parseAddress } from '../../domain/text/network.ts'
import type { Caller } from '../routing/caller.ts'
import type { Carriers } from './keys/authenticate.ts'
import { isOtherOrigin } from './same-origin.ts'

/** Settings of an installation with public pages. */
export type PublicPages = {
  /** Origin at which the pages are reached; absent: that of the header Host. */
  url?: string | undefined
  /** Requests of one address in any 60 seconds. */
  requestsMax: number
  /** Proxies whose X-Forwarded-For is read. */
  proxies: readonly Network[]
  /** Tokens that a part of the site map lists; absent: 10,000. */
  tokensPerMap?: number
}

/** Open WebSockets of one address: a household, or a person with some tabs. */
export const VISITOR_STREAMS_MAX = 5

/** Address of the client of a request: `remote` is the other end of the connection. */
export type AddressOf = (remote: string | undefined, headers: IncomingHttpHeaders) => string

/** Characters of the header that are read: trusted proxies are at its end. */
const HEADER_LENGTH_MAX = 1_024

export function addressReader(proxies: readonly Network[]): AddressOf {
  const isProxy = (ip: bigint): boolean => proxies.some((network) => holdsAddress(network, ip))
  return (remote = '', headers) => {
    let ip = parseAddress(remote)
    // Connections that are gone have none: they share a window.
    if (ip === undefined) return 'unknown'
    const hops = String(headers['x-forwarded-for'] ?? '')
      .slice(-HEADER_LENGTH_MAX)
      .split(',')
    while (isProxy(ip)) {
      const hop = parseAddress(hops.pop() ?? '')
      if (hop === undefined) break
      ip = hop
    }
    return clientText(ip)
  }
}

/**
 * Whether a request may be a visitor's: it carries no key, and no page of another site sent it. Such a page needs a key of
 * its own, else it would spend the requests of its readers' addresses.
 */
export function isVisit(headers: IncomingHttpHeaders, carriers: Carriers): boolean {
  const { header, authorization, query = '' } = carriers
  if (header || authorization !== undefined || query.length > 0) return false
  const { origin = '', host = '' } = headers
  return !isOtherOrigin({ site: String(headers['sec-fetch-site'] ?? ''), origin, host })
}

/** Visitors have the lowest tier; each address has a window and streams of its own. */
export function visitorAt(ip: string): Caller {
  return { keyId: 0, tier: 'free', lineage: `address ${ip}` }
}
