/** Parts of the open figure of a token: the swap that set its price, its supply, its pool, or the swaps of a window. */

import type { ComponentChildren } from 'preact'
import type { TokenIntel } from '../../../clients/typescript/generated.ts'
import { nounOf } from '../../../domain/text/plural.ts'
import { shortText } from '../../../domain/text/short-text.ts'
import { WINDOW_NAMES } from '../../../domain/time/trade-window.ts'
import { useLoaded } from '../../client/loaded.ts'
import { type Answer, get } from '../../client/request.ts'
import { type Read, useFigures, useIsPinned } from '../../client/slot/figures.ts'
import { tradeOf } from '../../client/trade.ts'
import { type Figure, plainText, solFigure, usdFigure } from '../../format/number.ts'
import { States } from '../../layout/panel.tsx'
import { openParts, PartsPanel } from '../../layout/parts.tsx'
import { TRADE, TradeTable } from '../../layout/trade-table.tsx'
import { Address, Num, When } from '../../layout/values.tsx'
import { WindowParts } from './window.tsx'

type Stats = Answer<'getTokenStats'>['data']

const { side, sol, tokens, impact, wallet, venue, when } = TRADE
const PART_COLUMNS = [side, sol, tokens, impact, wallet, venue, when]
const SOL_DECIMALS = 9
/** A double of the same two integers, however it was divided. */
const NEAR = 1e-9

type TokenPartsProps = {
  mint: string
  stats: Stats
  /** Whether the statistics are of now. */
  isOfNow: boolean
  intel: TokenIntel | undefined
}

export function TokenParts({ mint, stats, isOfNow, intel }: TokenPartsProps) {
  const name = openParts()
  const window = WINDOW_NAMES.find((each) => each === name)
  if (window !== undefined) {
    return (
      <PartsPanel title={`Swaps of ${window}`} note="of all pools, newest first">
        <WindowParts {...{ mint, window, stats, isOfNow }} />
      </PartsPanel>
    )
  }
  if (name === 'price') {
    return (
      <PartsPanel title="Price" note="the last priced swap of the top pool: SOL by tokens">
        <PriceParts mint={mint} stats={stats} />
      </PartsPanel>
    )
  }
  if (name === 'cap') {
    return (
      <PartsPanel title="Market cap" note="price times supply">
        <CapParts stats={stats} intel={intel} />
        <PriceParts mint={mint} stats={stats} />
      </PartsPanel>
    )
  }
  if (name !== 'liquidity') return null
  return (
    <PartsPanel title="Liquidity" note="twice the SOL of the top pool, as of its newest swap">
      <LiquidityParts stats={stats} />
    </PartsPanel>
  )
}

function PriceParts({ mint, stats }: { mint: string; stats: Stats }) {
  const { price_sol: price, price_timestamp: at, top_pair: pool } = stats
  const isKnown = price !== null && at !== null && pool !== null
  const key = isKnown ? `price of ${mint} ${pool} ${at}` : ''
  const load = async (read: Read) => {
    const query = {
      token_address: mint,
      pair_address: pool ?? '',
      from: String(at),
      to: String(at),
    }
    const { data: rows } = await read('listSwapsInRange', query)
    // The newest of those with the price, where several have its time.
    return rows.find(
      ({ price_per_token: each, quote_decimals: decimals }) =>
        Math.abs((each * 10 ** (decimals - SOL_DECIMALS)) / (price ?? 1) - 1) < NEAR,
    )
  }
  const isPinned = useIsPinned()
  const ofNow = useLoaded(isPinned ? '' : key, (signal) =>
    load((id, parameters) => get(id, parameters, signal)),
  )
  const ofSlot = useFigures('listSwapsInRange', isPinned ? key : '', load)
  const found = isPinned ? ofSlot : ofNow
  if (!isKnown) return <p class="empty">No swap has set a price yet.</p>
  return (
    <States
      of={{ ...found, value: found.at === 0 ? undefined : { swap: found.value } }}
      rows={1}
      emptyText={({ swap }) =>
        swap === undefined ? 'The swap that set the price is not stored any more.' : undefined
      }
    >
      {({ swap }) =>
        swap === undefined ? null : (
          <>
            <p data-figure="price_sol">
              Set <When ms={swap.timestamp} /> by this swap: <Num value={price} as={solFigure} />{' '}
              SOL a token.
            </p>
            <TradeTable rows={[tradeOf(swap)]} columns={PART_COLUMNS} />
          </>
        )
      }
    </States>
  )
}

function CapParts({ stats, intel }: { stats: Stats; intel: TokenIntel | undefined }) {
  const supply = intel?.supply ?? null
  const decimals = stats.decimals
  const whole =
    supply === null || decimals === null ? null : Number(supply) / 10 ** Number(decimals)
  return (
    <Facts>
      <Fact title="Price, SOL" figure="price_sol">
        <Num value={stats.price_sol} as={solFigure} />
      </Fact>
      <Fact title="Supply, tokens" figure="supply">
        <Num value={whole} as={supplyFigure} />
      </Fact>
      <Fact title="Market cap, SOL" figure="market_cap_sol">
        <Num value={stats.market_cap_sol} as={solFigure} />
      </Fact>
      <Fact title="Market cap, USD" figure="market_cap_usd">
        <Num value={stats.market_cap_usd} as={usdFigure} />
      </Fact>
    </Facts>
  )
}

const supplyFigure = (value: number): Figure => ({
  text: shortText(value),
  exact: `${plainText(value)} ${nounOf(value, 'token')}`,
})

function LiquidityParts({ stats }: { stats: Stats }) {
  if (stats.top_pair === null) return <p class="empty">No pool with reserves is indexed.</p>
  return (
    <Facts>
      <Fact title="Top pool">
        <Address
          of={stats.top_pair}
          kind="pool"
          href={`/token/${stats.mint}?pool=${stats.top_pair}&parts=liquidity`}
        />
      </Fact>
      <Fact title="Liquidity, SOL" figure="liquidity_sol">
        <Num value={stats.liquidity_sol} as={solFigure} />
      </Fact>
      <Fact title="Liquidity, USD" figure="liquidity_usd">
        <Num value={stats.liquidity_usd} as={usdFigure} />
      </Fact>
    </Facts>
  )
}

function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>
}

type FactProps = { title: string; figure?: string; children: ComponentChildren }

function Fact({ title, figure, children }: FactProps) {
  return (
    <div data-figure={figure}>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  )
}
