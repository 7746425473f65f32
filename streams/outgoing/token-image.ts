/**
 * The link to a token's picture: the field `image` of the JSON document that its mint names. The picture itself is never
 * requested, and no other field of the document counts.
 *
 * `https`, and `ipfs://` and `ar://` where the operator has set a gateway; the gateway's own address is trusted.
 */
import { isIP } from 'node:net'
import { isObject } from '../../domain/text/exact-json.ts'
import type { PrivatePolicy } from '../../domain/webhook-target.ts'
import { type DocumentBounds, getDocument } from './get-document.ts'
import { isPrivate, URL_LENGTH_MAX } from './target.ts'

export type ImageOptions = DocumentBounds & {
  /** URLs of gateways; absent: such addresses are passed over. */
  ipfsGateway?: string | undefined
  arweaveGateway?: string | undefined
  /** Whether documents may lie at private addresses; a test's do. */
  policy?: PrivatePolicy
}

export type ImageReader = {
  /**
   * The link, cleaned; null where the document names none that may be shown. Throws DocumentUnusable, TargetRefused, and the
   * reason of the signal.
   */
  read(uri: string, signal: AbortSignal): Promise<string | null>
}

type Resolved = { readonly href: string; readonly isOfGateway: boolean }

export function openImages(options: ImageOptions): ImageReader {
  const { policy = 'refuse' } = options
  return {
    async read(uri, signal) {
      const target = resolve(uri, options)
      if (target === undefined) return null
      const own = target.isOfGateway ? 'allow' : policy
      const document = await getDocument(target.href, own, signal, options)
      const image = isObject(document) ? document.image : undefined
      return typeof image === 'string' ? linkOf(image, options) : null
    },
  }
}

/** A link that a page may show. */
function linkOf(text: string, options: ImageOptions): string | null {
  const found = resolve(text, options)
  if (found === undefined || found.href.length > URL_LENGTH_MAX) return null
  if (found.isOfGateway) return found.href
  const { protocol, username, password, hostname } = new URL(found.href)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (protocol !== 'https:' || username !== '' || password !== '') return null
  return isIP(host) !== 0 && isPrivate(host) ? null : found.href
}

/** A content id with a path below it, without steps upwards. */
const CONTENT = /^(?:ipfs\/)?([A-Za-z0-9]{1,100}(?:\/[\w.,~@+%() -]{1,100}){0,5})$/
const RECORD = /^([\w-]{43}(?:\/[\w.,~@+%() -]{1,100}){0,5})$/

function resolve(text: string, options: ImageOptions): Resolved | undefined {
  const uri = text.trim()
  const { ipfsGateway, arweaveGateway } = options
  if (uri.startsWith('ipfs://')) return throughGateway(ipfsGateway, 'ipfs/', CONTENT, uri.slice(7))
  if (uri.startsWith('ar://')) return throughGateway(arweaveGateway, '', RECORD, uri.slice(5))
  return URL.canParse(uri) ? { href: new URL(uri).href, isOfGateway: false } : undefined
}

function throughGateway(
  gateway: string | undefined,
  folder: string,
  form: RegExp,
  path: string,
): Resolved | undefined {
  const [, content] = form.exec(path) ?? []
  if (gateway === undefined || content === undefined) return undefined
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(content)) return undefined
  return {
    href: new URL(`${folder}${content}`, `${gateway.replace(/\/*$/, '')}/`).href,
    isOfGateway: true,
  }
}
