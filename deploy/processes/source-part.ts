/**
 * The source of chain data that `up` runs instead of the simulated market: a Yellowstone stream where
 * SOURCE_GEYSER_URL is set, else the node of SOURCE_RPC_URL, else with --live a portal. The process reads its URLs and its x-token from the environment,
 * so that no list of processes shows them.
 */
import type { Config } from '../config.ts'

/** `host`: without the path, which may hold a key. */
export type SourcePart = { readonly argv: readonly string[]; readonly host: string }

/** `isLive`: follow the chain by a portal, which needs no key, where neither is set. */
export function sourcePartOf(
  {
    sourceGeyser,
    sourceRpcUrl,
    sourcePortalUrl,
  }: Pick<Config, 'sourceGeyser' | 'sourceRpcUrl' | 'sourcePortalUrl'>,
  isLive = false,
): SourcePart | undefined {
  if (isLive && sourceGeyser.url === undefined && sourceRpcUrl === undefined) {
    return { argv: ['source', 'portal'], host: new URL(sourcePortalUrl).host }
  }
  const kind = sourceGeyser.url === undefined ? 'rpc' : 'geyser'
  const url = sourceGeyser.url ?? sourceRpcUrl
  return url === undefined ? undefined : { argv: ['source', kind], host: new URL(url).host }
}
