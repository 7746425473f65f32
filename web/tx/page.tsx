/** A transaction: all its swaps in the order of the chain, with the amounts of each and its effect on the pool. */

import type { Int64 } from '../../domain/amount.ts'
import { nounOf } from '../../domain/text/plural.ts'
import { shortened, shortText } from '../../domain/text/short-text.ts'
import { venueTitle } from '../../domain/venue.ts'
import { get, Problem } from '../client/request.ts'
import { useFigures, useIsPinned } from '../client/slot/figures.ts'
import { SlotPage } from '../client/slot/scope.tsx'
import { symbols, useSymbols } from '../client/symbols.ts'
import { type Trade, tradeKey, tradeOf } from '../client/trade.ts'
import {
  bpsFigure,
  countFigure,
  exactFigure,
  type Figure,
  lamportsFigure,
  plainText,
  tokensFigure,
} from '../format/number.ts'
import { SlotLine } from '../layout/head/slot.tsx'
import { Layout } from '../layout/layout.tsx'
import { Panel, States } from '../layout/panel.tsx'
import {
  Address,
  Copy,
  Num,
  Side,
  TokenLink,
  Unknown,
  WalletLink,
  When,
} from '../layout/values.tsx'
import { Fact } from './fact.tsx'
import { Sandwiches } from './sandwiches.tsx'

const SOL_DECIMALS = 9

export function TransactionPage({ signature }: { signature: string }) {
  return (
    <SlotPage>
      <Transaction signature={signature} />
    </SlotPage>
  )
}

function Transaction({ signature }: { signature: string }) {
  const isPinned = useIsPinned()
  const swaps = useFigures('getTransaction', signature, async (read) => {
    const { swaps: found, price_semantics: semantics } = await read('getTransaction', {
      signature,
    }).catch((problem: unknown) => {
      // A link may lead to a transaction that is newer than the slot of the page.
      const isUnknown = problem instanceof Problem && problem.kind === 'unknown'
      if (isPinned || !isUnknown) throw problem
      return get('getTransaction', { signature })
    })
    return { trades: found.map(tradeOf), semantics }
  })
  return (
    <Layout title={`Transaction ${shortened(signature)}`}>
      <div class="heading">
        <h1>Transaction</h1>
        <span class="mono" title={signature}>
          {shortened(signature, 10)}
        </span>
        <Copy text={signature} kind="signature" />
      </div>
      <SlotLine />
      <States of={swaps} rows={8}>
        {({ trades, semantics }) => (
          <>
            <Summary trades={trades} />
            {trades.map((trade, at) => (
              <TradePanel key={tradeKey(trade)} trade={trade} ordinal={at + 1} />
            ))}
            <Sandwiches signature={signature} />
            <p class="quiet">{semantics}</p>
          </>
        )}
      </States>
    </Layout>
  )
}

function Summary({ trades }: { trades: readonly Trade[] }) {
  useSymbols(trades.map(({ token_address: mint }) => mint))
  const [first] = trades
  if (first === undefined) return null
  return (
    <dl class="tiles">
      <div class="tile">
        <dt>Swaps</dt>
        <dd>
          <Num value={trades.length} as={countFigure} />
        </dd>
      </div>
      <div class="tile">
        <dt>Slot</dt>
        <dd data-figure="slot">
          <Num value={first.slot} as={exactFigure} />
        </dd>
      </div>
      <div class="tile">
        <dt>Time</dt>
        <dd>
          <When ms={first.timestamp} />
        </dd>
      </div>
      <div class="tile">
        <dt>Place in the block</dt>
        <dd>
          <Num value={first.block_tx_index} as={exactFigure} />
        </dd>
      </div>
    </dl>
  )
}

function TradePanel({ trade, ordinal }: { trade: Trade; ordinal: number }) {
  const symbol = symbols.value.get(trade.token_address)
  return (
    <Panel
      title={
        <>
          {ordinal}. <Side isBuy={trade.is_buy} />
        </>
      }
      note={`${venueTitle(trade.venue)}, instruction ${trade.ix_index}`}
      class="swap"
    >
      <dl class="facts" data-swap={ordinal}>
        <Fact name="Token">
          <TokenLink mint={trade.token_address} symbol={symbol} />
        </Fact>
        <Fact name="Wallet">
          <WalletLink wallet={trade.user} />
        </Fact>
        <Fact name="Pool">
          <Address of={trade.pair_address} kind="pool" />
        </Fact>
        <Fact name="SOL" figure="sol_amount">
          <Num value={trade.sol_amount} as={lamportsFigure} />
        </Fact>
        <Fact name="Tokens" figure="token_amount">
          <Num
            value={trade.token_amount}
            as={(value) => tokensFigure(value, trade.quote_decimals)}
          />
        </Fact>
        <Fact name="Price, SOL a token" figure="price_per_token">
          <Num
            value={trade.price_per_token}
            as={(value) => priceFigure(value, trade.quote_decimals)}
          />
        </Fact>
        <Fact name="Price impact" figure="price_impact_bps">
          <Num value={trade.price_impact_bps} as={bpsFigure} />
        </Fact>
        <Fact name="LP fee" figure="fee">
          <Num value={trade.fee} as={lamportsFigure} /> <Rate bps={trade.fee_bps} />
        </Fact>
        <Fact name="Creator fee" figure="creator_fee">
          <Num value={trade.creator_fee} as={lamportsFigure} /> <Rate bps={trade.creator_fee_bps} />
        </Fact>
        <Fact name="Cashback" figure="cashback">
          <Num value={trade.cashback} as={lamportsFigure} /> <Rate bps={trade.cashback_bps} />
        </Fact>
        <Fact name="Pool, SOL: before, after" figure="real_sol_reserves">
          <Reserve
            after={trade.real_sol_reserves}
            leg={trade.sol_amount}
            isIn={trade.is_buy}
            as={lamportsFigure}
          />
        </Fact>
        <Fact name="Pool, tokens: before, after" figure="real_token_reserves">
          <Reserve
            after={trade.real_token_reserves}
            leg={trade.token_amount}
            isIn={!trade.is_buy}
            as={(value) => tokensFigure(value, trade.quote_decimals)}
          />
        </Fact>
      </dl>
    </Panel>
  )
}

/** Lamports per base unit as SOL per whole token, with the API's figure as its title. */
function priceFigure(value: number, decimals: number): Figure {
  const exact = `${plainText(value)} ${nounOf(value, 'lamport')} per base unit`
  return { text: shortText(value * 10 ** (decimals - SOL_DECIMALS)), exact }
}

type ReserveProps = {
  /** The reserve published with the swap, after it; 0: the venue publishes none. */
  after: Int64
  leg: Int64
  /** Whether the leg went into the pool. */
  isIn: boolean
  as: (value: Int64) => Figure
}

/** A reserve without the leg, and with it. */
function Reserve({ after, leg, isIn, as }: ReserveProps) {
  if (BigInt(after) === 0n) return <Unknown />
  const before = BigInt(after) + (isIn ? -BigInt(leg) : BigInt(leg))
  return (
    <>
      <Num value={before} as={as} /> → <Num value={after} as={as} />
    </>
  )
}

function Rate({ bps }: { bps: number }) {
  return <span class="quiet">{bpsFigure(bps).text.replace('+', '')}</span>
}
