/** Settings of providers of chain data: a part of the table of settings. Pure. */
import { PORTAL_URL } from '../../chain/sources/portal/query.ts'
import { API } from './readers.ts'
import type { Setting } from './setting.ts'

const FILE = { form: 'file' } as const
const WEB = { form: 'url', schemes: ['http:', 'https:'] } as const

export const CHAIN_SETTINGS = {
  BALANCE_RPC_URL: {
    group: 'chain',
    kind: WEB,
    absent: 'no on-chain balances and mints',
    about: 'Solana JSON-RPC node that balances, mints and their names are read from',
    isSecret: true,
    readBy: ['up', 'api', 'jobs'],
  },
  DAS_URL: {
    group: 'chain',
    kind: WEB,
    absent: 'names of accounts only',
    about: 'provider of DAS (getAssetBatch) for mints whose accounts state no name',
    note: 'Needs BALANCE_RPC_URL, whose node is read first.',
    isSecret: true,
    readBy: ['up', 'jobs'],
  },
  TOKEN_IMAGES: {
    group: 'chain',
    kind: { form: 'choice', choices: ['0', '1'] },
    default: '0',
    about: '1: read the documents that tokens name for links to pictures',
    note: 'Requests go to addresses that strangers chose: see [Names of mints](sources.md#names-of-mints).',
    readBy: ['up', 'jobs'],
  },
  IPFS_GATEWAY_URL: {
    group: 'chain',
    kind: WEB,
    absent: 'ipfs:// addresses are passed over',
    about: 'gateway of ipfs:// documents and pictures, without /ipfs/',
    readBy: ['up', 'jobs'],
  },
  ARWEAVE_GATEWAY_URL: {
    group: 'chain',
    kind: WEB,
    absent: 'ar:// addresses are passed over',
    about: 'gateway of ar:// documents and pictures',
    readBy: ['up', 'jobs'],
  },
  SOURCE_RPC_URL: {
    group: 'chain',
    kind: WEB,
    absent: 'the --rpc option',
    about: 'Solana JSON-RPC node that blocks are read from',
    note: 'Providers put a key into this URL: here, unlike in an option, no list of processes shows it.',
    isSecret: true,
    readBy: ['up', 'backfill', 'source'],
  },
  SOURCE_PORTAL_URL: {
    group: 'chain',
    kind: WEB,
    default: PORTAL_URL,
    about: 'dataset of an SQD Portal, an archive that needs no key',
    readBy: ['up', 'backfill', 'source'],
  },
  SOURCE_PORTAL_HEADER_FILE: {
    group: 'chain',
    kind: FILE,
    absent: 'no key',
    about: "file that holds the portal's key, or a header as name: value, on one line",
    readBy: ['up', 'backfill', 'source'],
  },
  SOURCE_GEYSER_URL: {
    group: 'chain',
    kind: WEB,
    absent: 'the --endpoint option',
    about: 'Yellowstone (Geyser) gRPC stream that blocks are read from',
    readBy: ['up', 'source'],
  },
  SOURCE_GEYSER_X_TOKEN: {
    group: 'chain',
    kind: { form: 'token', lengthMin: 8 },
    absent: 'SOURCE_GEYSER_X_TOKEN_FILE',
    about: 'x-token that the provider of the stream expects',
    isSecret: true,
    readBy: ['up', 'source'],
  },
  SOURCE_GEYSER_X_TOKEN_FILE: {
    group: 'chain',
    kind: FILE,
    absent: 'no x-token',
    about: 'file that holds the x-token, on one line',
    readBy: ['up', 'source'],
  },
  SOL_USD_FALLBACK: {
    group: 'chain',
    kind: { form: 'rate' },
    absent: 'values in USD are absent until then',
    about: 'US dollars per SOL until a swap against USDC or USDT is stored',
    readBy: API,
  },
} as const satisfies Record<string, Setting>
