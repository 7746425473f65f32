/** Batches of positions and of wallets: bodies and answers. Answers are in the order of the request. */
import Type, { type Static } from 'typebox'
import { PNL_MODES } from '../../../domain/wallet/pnl-mode.ts'
import { accountAddress, nullable, pnlMode } from '../../routing/schema.ts'
import { position } from '../pnl/schema.ts'
import { walletPnl } from '../summary/schema.ts'

const POSITIONS_MAX = 200
const WALLETS_MAX = 100

const wallet = accountAddress({ description: 'Wallet' })
const mint = accountAddress({ description: 'Token mint' })
const listOf = (greatest: number, description: string) =>
  Type.Array(Type.String({ format: 'address' }), {
    minItems: 1,
    maxItems: greatest,
    description: `${description}, 1 to ${greatest}; one may be given several times`,
  })

export const noParameters = Type.Object({})
export const ofWallet = Type.Object({ w: wallet })
export const ofToken = Type.Object({ t: mint })

const pair = Type.Object({ wallet, mint }, { title: 'PositionPair' })
export const pairsBody = Type.Object(
  {
    pairs: Type.Array(pair, {
      minItems: 1,
      maxItems: POSITIONS_MAX,
      description: `Pairs of wallet and mint, 1 to ${POSITIONS_MAX}; one may be given several times`,
    }),
    pnl_mode: pnlMode,
  },
  { title: 'PositionPairs' },
)
export const mintsBody = Type.Object(
  { mints: listOf(POSITIONS_MAX, 'Token mints'), pnl_mode: pnlMode },
  { title: 'PositionMints' },
)
export const walletsBody = Type.Object(
  { wallets: listOf(POSITIONS_MAX, 'Wallets'), pnl_mode: pnlMode },
  { title: 'PositionWallets' },
)
export const summariesBody = Type.Object(
  { wallets: listOf(WALLETS_MAX, 'Wallets') },
  { title: 'WalletList' },
)

/** A position with its wallet. */
export const ownedPosition = Type.Object(
  { wallet, ...position.properties },
  { title: 'OwnedPosition' },
)
export type OwnedPositionAnswer = Static<typeof ownedPosition>

export const positionBatch = Type.Object(
  {
    pnl_mode: Type.Enum([...PNL_MODES], { description: 'How realized and cost were counted' }),
    positions: Type.Array(nullable(ownedPosition), {
      description: 'In the order of the request; null where the wallet never traded the mint',
    }),
  },
  { title: 'PositionBatch' },
)
export type PositionBatchAnswer = Static<typeof positionBatch>

export const walletBatch = Type.Object(
  {
    wallets: Type.Array(nullable(walletPnl), {
      description: 'In the order of the request; null where the wallet never traded',
    }),
  },
  { title: 'WalletBatch' },
)
export type WalletBatchAnswer = Static<typeof walletBatch>
