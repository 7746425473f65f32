/** A token: price and statistics, candles with marks, swaps, pools, holders, traders and risk. */

import { shortened } from '../../domain/text/short-text.ts'
import { STATS_WINDOWS } from '../../domain/time/trade-window.ts'
import { type Answer, NOT_OF_SLOT } from '../client/request.ts'
import { useFigures } from '../client/slot/figures.ts'
import { SlotPage } from '../client/slot/scope.tsx'
import { countFigure, solFigure, usdFigure } from '../format/number.ts'
import { cutAfter, spaced } from '../format/text.ts'
import { SlotLine, SlotMark } from '../layout/head/slot.tsx'
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
import { useStats } from './stats.ts'
import { MarkButton, SwapsPanel } from './swaps.tsx'

type Stats = Answer<'getTokenStats'>['data']
type Intel = Answer<'getTokenIntel'>

const RENEWED_MS = 30_000
/** Problems of the statistics as of a slot that other panels need not have. */
const REFUSED: ReadonlySet<string | undefined> = new Set(['refused', ...NOT_OF_SLOT])
/** Characters of a name that are shown: the chain allows far more than a line. */
const SHOWN_MAX = 64

export function TokenPage({ mint }: { mint: string }) {
  return (
    <SlotPage swaps={{ tokens: [mint] }} restMs={RENEWED_MS}>
      <Token mint={mint} />
    </SlotPage>
  )
}

function Token({ mint }: { mint: string }) {
  const stats = useStats(mint)
  const intel = useFigures(
    'getTokenIntel',
    `intel ${mint}`,
    (read) => read('getTokenIntel', { mint }),
    { everyMs: RENEWED_MS },
  )
  const name = stats.value?.symbol ?? shortened(mint)
  const hasToken = stats.value !== undefined || REFUSED.has(stats.problem?.kind)
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
      <SlotLine />
      <States of={stats} rows={3}>
        {(found) => (
          <>
            <Tiles mint={mint} stats={found} isOfNow={stats.isOfNow} />
            <TokenParts {...{ mint, intel: intel.value }} stats={found} isOfNow={stats.isOfNow} />
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
              <HoldersPanel mint={mint} intel={intel} />
              <RiskPanel mint={mint} decimals={decimals} />
              <AuditPanel mint={mint} />
            </div>
          </div>
        </>
      )}
    </Layout>
  )
}

type TilesProps = { mint: string; stats: Stats; isOfNow: boolean }

function Tiles({ mint, stats, isOfNow }: TilesProps) {
  return (
    <dl class="tiles">
      <div class="tile">
        <dt>
          Price <SlotMark isOfNow={isOfNow} />
        </dt>
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
        <dt>
          Market cap <SlotMark isOfNow={isOfNow} />
        </dt>
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
        <dt>
          Liquidity <SlotMark isOfNow={isOfNow} />
        </dt>
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
      <WindowTiles {...{ stats, isOfNow }} />
      <SandwichTile mint={mint} />
    </dl>
  )
}

function WindowTiles({ stats, isOfNow }: Omit<TilesProps, 'mint'>) {
  return (
    <>
      {STATS_WINDOWS.map((window) => {
        const figures = stats.windows[window]
        return (
          <div key={window} class="tile" data-window={window}>
            <dt>
              {window} <SlotMark isOfNow={isOfNow} />
            </dt>
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
    </>
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
