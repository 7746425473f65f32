/** REST of a token: its profile, its holders and its risk. */

import type { MintProvider } from '../../../chain/accounts/providers.ts'
import { TAG_WORDS } from '../../../domain/wallet/wallet-tag.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { isAtLeast } from '../../gateway/limits/tier.ts'
import type { Caller, Tier } from '../../routing/caller.ts'
import type { Example } from '../../routing/declaration.ts'
import { type Route, route } from '../../routing/route.ts'
import { EARLY_BUYERS_WORDS } from './early-buyers.ts'
import { findOnchain } from './onchain.ts'
import { presentHolders, presentLocked, presentSmartMoney, presentWhales } from './present.ts'
import { presentIntel, presentRisk } from './present-profile.ts'
import { readHolders, readPastHolders, readSmartMoney, readWhales } from './read.ts'
import { readIntel, readProfile } from './read-profile.ts'
import { SCORE_MAX } from './risk.ts'
import {
  type HolderPositionsAnswer,
  holderPositions,
  holderPositionsRequest,
  holders,
  holdersRequest,
  ofToken,
} from './schema.ts'
import { intel, risk } from './schema-profile.ts'

const family = 'enveloped'
const errors = ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'] as const
/** Cache lifetime: a mint with a million holders is summed once in this time for all clients. */
const CACHE_SECONDS = 30
/** Tier that whales and smart money require. */
const TIER_REQUIRED: Tier = 'developer'

type TokenDeps = {
  /** Unix ms of the wall clock. */
  now: () => number
  /** Where a caller on too low a tier is sent. */
  upgradeUrl: string
  /** Absent: authorities and extensions are not known. */
  mints?: MintProvider | undefined
}

export function tokenRoutes(deps: TokenDeps): readonly Route[] {
  return [
    intelRoute(deps),
    riskRoute(deps),
    holdersRoute(deps),
    whalesRoute(deps),
    smartMoneyRoute(deps),
  ]
}

function intelRoute({ now }: TokenDeps): Route {
  return route({
    path: '/tokens/{mint}/intel',
    operationId: 'getTokenIntel',
    isOnPages: true,
    isOfHistory: true,
    topic: { listedAt: 60, description: 'One token: profile, risk, holders, audit' },
    graphqlField: 'tokenIntel',
    tool: { listedAt: 70 },
    rows: null,
    family,
    summary: 'Profile of a token: metadata, creator, origins, early buyers, concentration',
    description:
      `Metadata and sector are those of the newest token lines. Early buyers are the ${EARLY_BUYERS_WORDS}; ` +
      'a wallet may count under several ' +
      'tags. Concentration is by the ledger: transfers are not included.',
    parameters: ofToken,
    answer: intel,
    errors: [...errors, 'NOT_FOUND'],
    example: ({ mint }) => ({ mint }),
    cacheSeconds: CACHE_SECONDS,
    read: async ({ mint }, db) => presentIntel(mint, await readIntel(db, mint), now()),
  })
}

function riskRoute({ now, mints }: TokenDeps): Route {
  return route({
    path: '/tokens/{mint}/risk',
    operationId: 'getTokenRisk',
    isOnPages: true,
    isOfHistory: true,
    graphqlField: 'tokenRisk',
    tool: { listedAt: 80 },
    family,
    summary: 'How risky a token is, factor by factor',
    description:
      'score is the sum of the points of all factors, at most ' +
      `${SCORE_MAX}. Each factor shows the evidence that ` +
      'its points go by; a factor that is not known has points null and counts 0. rugged: the price of 24 ' +
      'hours ended at a tenth of where it began, or less. creator_sold: the proceeds of the creator as a ' +
      'share of these proceeds plus the value of the rest. Authorities and extensions need a Solana node.',
    parameters: ofToken,
    answer: risk,
    errors: [...errors, 'NOT_FOUND'],
    example: ({ mint }) => ({ mint }),
    cacheSeconds: CACHE_SECONDS,
    respond: async ({ mint }, { reader, signal }) => {
      const profile = await reader.run(signal, (db) => readProfile(db, mint))
      const found = await findOnchain(mints, mint, signal)
      return presentRisk(mint, profile, found, now())
    },
  })
}

function holdersRoute({ now }: TokenDeps): Route {
  return route({
    path: '/tokens/{mint}/holders',
    operationId: 'listTokenHolders',
    isOnPages: true,
    isOfHistory: true,
    graphqlField: 'tokenHolders',
    tool: { listedAt: 90 },
    family,
    summary: 'Holders of a token, by the ledger',
    description:
      'Wallets whose indexed swaps left some of it, the largest first, ties by wallet; shares are of ' +
      'the balances of all of them. Transfers are not included. The list goes on ' +
      'after a balance: one that changes meanwhile may appear twice, or not. An unknown mint ' +
      'has none.',
    parameters: holdersRequest,
    answer: holders,
    errors: [...errors, 'AS_OF_TOO_COSTLY'],
    example: ({ mint }) => ({ mint, limit: 10 }),
    cacheSeconds: CACHE_SECONDS,
    read: async (request, db) =>
      presentHolders(request.mint, await readHolders(db, request), now()),
    readAsOf: async (request, past) =>
      presentHolders(request.mint, await readPastHolders(past, request), now()),
  })
}

type TieredRoute = {
  path: `/${string}`
  operationId: string
  isOnPages: true
  graphqlField: string
  summary: string
  description: string
  example: Example
  read: (mint: string, limit: number, db: Queryable) => Promise<HolderPositionsAnswer>
}

const isOpen = ({ tier }: Caller): boolean => isAtLeast(tier, TIER_REQUIRED)

/** 200 for every tier: below the required one with nothing in it. */
function tieredRoute({ read, ...described }: TieredRoute, { now, upgradeUrl }: TokenDeps): Route {
  return route({
    ...described,
    isOfHistory: true,
    family,
    parameters: holderPositionsRequest,
    answer: holderPositions,
    errors,
    cacheSeconds: CACHE_SECONDS,
    cacheBy: (caller) => (isOpen(caller) ? 'open' : 'locked'),
    respond: async ({ mint, limit }, { reader, signal, caller }) =>
      isOpen(caller)
        ? reader.run(signal, (db) => read(mint, limit, db))
        : presentLocked(mint, TIER_REQUIRED, upgradeUrl, now()),
  })
}

function whalesRoute(deps: TokenDeps): Route {
  const whales: TieredRoute = {
    path: '/tokens/{mint}/whales',
    operationId: 'listTokenWhales',
    isOnPages: true,
    graphqlField: 'tokenWhales',
    summary: 'Wallets with a large stake in a token',
    description:
      `Wallets that made one ${TAG_WORDS.buyOfWhale} or have ${TAG_WORDS.openWhale} in it now, the largest stake first, ` +
      `ties by wallet; score = the larger of the two / ${TAG_WORDS.fullWhale}, at most 1. Tier ${TIER_REQUIRED}: below it ` +
      'tier_locked is true and results are empty. An unknown mint has none.',
    example: ({ whaleMint }) => ({ mint: whaleMint, limit: 10 }),
    read: async (mint, limit, db) =>
      presentWhales(mint, await readWhales(db, mint, limit), deps.now()),
  }
  return tieredRoute(whales, deps)
}

function smartMoneyRoute(deps: TokenDeps): Route {
  const smartMoney: TieredRoute = {
    path: '/tokens/{mint}/smart-money',
    operationId: 'listTokenSmartMoney',
    isOnPages: true,
    graphqlField: 'tokenSmartMoney',
    summary: 'Smart money that traded a token',
    description:
      `Wallets tagged smart_money in any mint (${TAG_WORDS.smartMoney}) ` +
      'that traded this one, the highest score first, ties by wallet. Tags are as the ' +
      `newest profile of each wallet left them. Tier ${TIER_REQUIRED}: below it tier_locked is true and ` +
      'results are empty. An unknown mint has none.',
    example: ({ mint }) => ({ mint, limit: 10 }),
    read: async (mint, limit, db) =>
      presentSmartMoney(mint, await readSmartMoney(db, mint, limit), deps.now()),
  }
  return tieredRoute(smartMoney, deps)
}
