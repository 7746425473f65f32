/** A token: price and statistics, candles with marks, swaps, pools, holders, traders and risk. */

import { shortened } from '../../domain/text/short-text.ts'
import { STATS_WINDOWS } from '../../domain/time/trade-window.ts'
import { useLatest } from '../client/latest.ts'
import { useLoaded } from '../client/loaded.ts'
import { type Answer, get } from '../client/request.ts'
import { countFigure, solFigure, usdFigure } from '../format/number.ts'
import { cutAfter, spaced } from '../format/text.ts'
import { Layout } from '../layout/layout.tsx'
import { States } from '../layout/panel.tsx'
import { PartsButton } from '../layout/parts.tsx'
import { Change, Copy, Num, Unknown, WalletLink, When } from '../layout/values.tsx'
import { AuditPanel } from './audit.tsx'
import { ChartPanel } from './chart.tsx'
import { HoldersPanel, TradersPanel } from './holders.tsx'
import { TokenParts } from './parts/panel.tsx'
import { PoolsPanel } from './pools.tsx'
import { RiskPanel } from './risk.tsx'
import { SandwichTile } from './sandwiches.tsx'
import { MarkButton, SwapsPanel } from './swaps.tsx'

type Stats = Answer<'getTokenStats'>['data']
type Intel = Answer<'getTokenIntel'>

const RENEWED_MS = 30_000
/** Characters of a name that are shown: the chain allows far more than a line. */
const SHOWN_MAX = 64

export function TokenPage({ mint }: { mint: string }) {
  const stats = useLatest<Stats>(`stats ${mint}`, {
    load: async (signal) => (await get('getTokenStats', { mint }, signal)).data,
    channel: 'token_stats',
    filter: { tokens: [mint] },
    inFrame: (frame) => ((frame as Stats).mint === mint ? (frame as Stats) : undefined),
  })
  const intel = useLoaded(`intel ${mint}`, (signal) => get('getTokenIntel', { mint }, signal), {
    everyMs: RENEWED_MS,
  })
  const name = stats.value?.symbol ?? shortened(mint)
  const hasToken = stats.value !== undefined
  const known = stats.value?.decimals ?? null
  const decimals = known === null ? null : Number(known)
  return (
    <Layout title={name}>
      <div class="heading">
        <h1 title={name}>{cutAfter(name, SHOWN_MAX)}</h1>
        {stats.value?.name && (
          <span class="quiet" title={stats.value.name}>
            {cutAfter(stats.value.name, SHOWN_MAX)}
          </span>
        )}
        <span class="mono" title={mint}>
          {shortened(mint, 6)}
        </span>
        <Copy text={mint} kind="mint" />
        {intel.value?.name_flags.map((flag) => (
          <span key={flag} class="flag" title="The name may deceive">
            {spaced(flag)}
          </span>
        ))}
      </div>
      <States of={stats} rows={3}>
        {(found) => (
          <>
            <Tiles mint={mint} stats={found} />
            <TokenParts mint={mint} stats={found} intel={intel.value} />
          </>
        )}
      </States>
      {hasToken && (
        <>
          {intel.value !== undefined && <Origins of={intel.value} />}
          <ChartPanel
            mint={mint}
            name={name}
            stats={stats.value}
            creator={intel.value?.creator?.wallet}
          />
          <div class="market">
            <div class="column">
              <SwapsPanel mint={mint} />
              <PoolsPanel mint={mint} />
              <TradersPanel mint={mint} />
            </div>
            <div class="column">
              <HoldersPanel mint={mint} intel={intel.value} />
              <RiskPanel mint={mint} decimals={decimals} />
              <AuditPanel mint={mint} />
            </div>
          </div>
        </>
      )}
    </Layout>
  )
}

function Tiles({ mint, stats }: { mint: string; stats: Stats }) {
  return (
    <dl class="tiles">
      <div class="tile">
        <dt>Price</dt>
        <dd>
          <PartsButton name="price" label="price">
            <span data-figure="price_usd">
              <Num value={stats.price_usd} as={usdFigure} />
            </span>
          </PartsButton>
        </dd>
        <dd class="quiet" data-figure="price_sol">
          <Num value={stats.price_sol} as={solFigure} unit=" SOL" />
        </dd>
      </div>
      <div class="tile">
        <dt>Market cap</dt>
        <dd>
          <PartsButton name="cap" label="market cap">
            <span data-figure="market_cap_usd">
              <Num value={stats.market_cap_usd} as={usdFigure} />
            </span>
          </PartsButton>
        </dd>
        <dd class="quiet" data-figure="market_cap_sol">
          <Num value={stats.market_cap_sol} as={solFigure} unit=" SOL" />
        </dd>
      </div>
      <div class="tile">
        <dt>Liquidity</dt>
        <dd>
          <PartsButton name="liquidity" label="liquidity">
            <span data-figure="liquidity_usd">
              <Num value={stats.liquidity_usd} as={usdFigure} />
            </span>
          </PartsButton>
        </dd>
        <dd class="quiet" data-figure="liquidity_sol">
          <Num value={stats.liquidity_sol} as={solFigure} unit=" SOL" />
        </dd>
      </div>
      {STATS_WINDOWS.map((window) => {
        const figures = stats.windows[window]
        return (
          <div key={window} class="tile" data-window={window}>
            <dt>{window}</dt>
            <dd data-figure="change_pct">
              <Change value={figures.change_pct} />
            </dd>
            <dd class="quiet">
              <PartsButton name={window} label={`volume and trades of ${window}`}>
                <span data-figure="volume_sol">
                  <Num value={figures.volume_sol} as={solFigure} />
                </span>{' '}
                SOL,{' '}
                <span data-figure="trades">
                  <Num value={figures.trades} as={countFigure} />
                </span>{' '}
                trades
              </PartsButton>
            </dd>
          </div>
        )
      })}
      <SandwichTile mint={mint} />
    </dl>
  )
}

function Origins({ of }: { of: Intel }) {
  const { creator, first_trade_at: first, sector, uri, image } = of
  return (
    <p class="origins quiet">
      <span>
        First trade <When ms={first} />
      </span>
      <span>
        Creator{' '}
        {creator === null ? (
          <Unknown />
        ) : (
          <>
            <WalletLink wallet={creator.wallet} />
            <MarkButton wallet={creator.wallet} />
          </>
        )}
      </span>
      {sector !== null && <span title={sector}>Sector {cutAfter(sector, SHOWN_MAX)}</span>}
      {image !== null && (
        <a data-figure="image" href={image} target="_blank" rel="noreferrer noopener nofollow">
          Picture
        </a>
      )}
      {uri !== null && (
        <span data-figure="uri" title={uri}>
          Document <span class="mono">{cutAfter(uri, SHOWN_MAX)}</span>{' '}
          <Copy text={uri} kind="address of the document" />
        </span>
      )}
    </p>
  )
}
