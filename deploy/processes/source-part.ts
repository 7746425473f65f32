/**
 * The source of chain data that `up` runs instead of the simulated market: a Yellowstone stream where
 * SOURCE_GEYSER_URL is set, else the node of SOURCE_RPC_URL. The process reads its URLs and its x-token from the environment,
 * so that no list of processes shows them.
 */
import type { Config } from '../config.ts'

/** `host`: without the path, which may hold a key. */
export type SourcePart = { readonly argv: readonly string[]; readonly host: string }

export function sourcePartOf({
  sourceGeyser,
  sourceRpcUrl,
}: Pick<Config, 'sourceGeyser' | 'sourceRpcUrl'>): SourcePart | undefined {
  const kind = sourceGeyser.url === undefined ? 'rpc' : 'geyser'
  const url = sourceGeyser.url ?? sourceRpcUrl
  return url === undefined ? undefined : { argv: ['source', kind], host: new URL(url).host }
}
