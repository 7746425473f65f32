/**
 * Head and picture of a token, a wallet or a transaction, from the answers of the API that its page reads. Pure.
 *
 * A figure that is not known is left out. No figure is computed here.
 */
import type { Static } from 'typebox'
import { nounOf } from '../../../domain/text/plural.ts'
import {
  changeText,
  countText,
  shortened,
  shortText,
  usdText,
} from '../../../domain/text/short-text.ts'
import type { WalletPnlAnswer } from '../../resources/summary/schema.ts'
import type { tokenStats } from '../../resources/token-stats/schema.ts'
import type { PageHead } from './head.ts'
import type { Preview, PreviewFigure } from './picture/preview.ts'
import { seenName } from './texts.ts'

export type Subject = { head: PageHead; preview: Preview }

const CHAIN = 'on Solana'

const shortCount = (count: number | bigint, noun: string): string =>
  `${countText(count)} ${nounOf(count, noun)}`

const toneOf = (value: number): PreviewFigure['tone'] =>
  value > 0 ? 'up' : value < 0 ? 'down' : undefined

/** `prices`: those of its candles, ascending in time. */
export function tokenSubject(stats: Static<typeof tokenStats>, prices: readonly number[]): Subject {
  const { mint, price_sol: inSol, price_usd: inUsd, windows, liquidity_sol: liquidity } = stats
  const short = shortened(mint)
  const symbol = seenName(stats.symbol)
  const name = seenName(stats.name)
  const title = symbol ?? name ?? short
  const full = name === undefined || name === title ? title : `${name} (${title})`
  const price = inUsd === null ? inSol && `${shortText(inSol)} SOL` : usdText(inUsd)
  const { change_pct: change = null, volume_sol: volume, trades } = windows['24h']
  const day = change === null ? '' : ` ${changeText(change)} in 24h`
  const facts = [
    price ? `price ${price}${day}` : '',
    `volume ${shortText(volume)} SOL in ${shortCount(trades, 'trade')} of 24h`,
    liquidity === null ? '' : `liquidity ${shortText(liquidity)} SOL`,
  ].filter((fact) => fact !== '')
  const figures: PreviewFigure[] = [
    ...(price ? [{ label: 'Price', text: price }] : []),
    ...(change === null
      ? []
      : [{ label: '24 hours', text: changeText(change), tone: toneOf(change) }]),
    { label: 'Volume, 24 hours', text: `${shortText(volume)} SOL` },
  ]
  return {
    head: {
      title: `${title}${price ? ` ${price}${day}` : ''} - Swaptide`,
      heading: full,
      description: `${full} ${CHAIN}: ${facts.join(', ')}. Candles, swaps, pools, holders and top traders of ${mint}.`,
      path: `/token/${mint}`,
      picture: `/preview/token/${mint}.png`,
    },
    preview: {
      title,
      otherTitle: short,
      subtitle: subtitleOf(name, title, short),
      figures,
      line: prices,
    },
  }
}

/** The name below a symbol, with the mint, because names are not unique. */
function subtitleOf(name: string | undefined, title: string, short: string): string {
  return [name === title ? undefined : name, short].filter((part) => part !== undefined).join(' · ')
}

export function walletSubject(pnl: WalletPnlAnswer): Subject {
  const { wallet, by_mode: modes, covered_sell_count: covered, win_rate: winRate } = pnl
  const { open_count: open, current_value_sol: value } = pnl
  const realized = modes.adjusted.realized_sol
  const sign = realized > 0 ? '+' : ''
  const realizedText = `${sign}${shortText(realized)} SOL`
  const short = shortened(wallet)
  const wins = covered === 0 ? undefined : `${(winRate * 100).toFixed(0)}%`
  const facts = [
    `realized ${realizedText}`,
    ...(wins === undefined ? [] : [`win rate ${wins} of ${shortCount(covered, 'sell')}`]),
    `open positions ${countText(open)}, worth ${shortText(value)} SOL`,
  ]
  const figures: PreviewFigure[] = [
    { label: 'Realized', text: realizedText, tone: toneOf(realized) },
    ...(wins === undefined ? [] : [{ label: 'Win rate', text: wins }]),
    { label: 'Open positions', text: `${shortText(value)} SOL` },
  ]
  return {
    head: {
      title: `Wallet ${short} ${realizedText} realized - Swaptide`,
      heading: `Wallet ${short}`,
      description: `Wallet ${wallet} ${CHAIN}: ${facts.join(', ')}. PnL by average cost, positions with their lots, and every swap.`,
      path: `/wallet/${wallet}`,
      picture: `/preview/wallet/${wallet}.png`,
    },
    preview: { title: `Wallet ${short}`, otherTitle: short, subtitle: wallet, figures, line: [] },
  }
}

/** Pages of transactions are found by a link: there are too many to be listed. */
export function transactionHead(signature: string, swaps: number): PageHead {
  const short = shortened(signature)
  return {
    title: `Transaction ${short} - Swaptide`,
    heading: `Transaction ${short}`,
    description: `${shortCount(swaps, 'swap')} of transaction ${signature} ${CHAIN}, with impact, fees and the pool before and after.`,
    picture: '/preview/site.png',
  }
}

const SITE =
  'Swaps, candles, wallets and rankings of Solana DEX venues; every figure opens its parts.'

export const SITE_PREVIEW: Preview = {
  title: 'Swap and wallet analytics',
  otherTitle: 'Swaptide',
  subtitle: 'Solana DEX venues · every figure opens its parts',
  figures: [],
  line: [],
}

/** Heads of the pages that are about no one subject. */
export const SITE_HEADS: Readonly<
  Record<'/' | '/screener' | '/leaderboard' | '/account', PageHead>
> = {
  '/': {
    title: 'Swaptide - swap and wallet analytics',
    heading: 'Market',
    description: `Trending tokens, movers, newest pools and whale swaps as they come. ${SITE}`,
    path: '/',
    picture: '/preview/site.png',
  },
  '/screener': {
    title: 'Screener of tokens - Swaptide',
    heading: 'Screener',
    description: `Tokens by price, volume, liquidity, traders and holders, live. ${SITE}`,
    path: '/screener',
    picture: '/preview/site.png',
  },
  '/leaderboard': {
    title: 'Leaderboard of wallets - Swaptide',
    heading: 'Leaderboard',
    description: `Wallets by realized PnL in 1 to 90 days. ${SITE}`,
    path: '/leaderboard',
    picture: '/preview/site.png',
  },
  '/account': {
    title: 'Account - Swaptide',
    heading: 'Account',
    description: 'Sign in with an API key.',
  },
}
