/** Tags of a wallet by token, with the rule of each tag. The lots of a token show the swaps that it is about. */

import type { WalletTags } from '../../clients/typescript/generated.ts'
import { shortText } from '../../domain/text/short-text.ts'
import { type Tag, THRESHOLDS } from '../../domain/wallet/wallet-tag.ts'
import { type Figures, useFigures } from '../client/slot/figures.ts'
import { symbols, useSymbols } from '../client/symbols.ts'
import { decimalText, type Figure, plainText } from '../format/number.ts'
import { spaced } from '../format/text.ts'
import { HistoryNote, Panel, States } from '../layout/panel.tsx'
import { Num, TokenLink, When } from '../layout/values.tsx'
import { showLots } from './positions.tsx'

const RENEWED_MS = 15_000
const SECOND_MS = 1_000
const LAMPORT_DIGITS = 9

const solText = (lamports: bigint): string => `${decimalText(lamports, LAMPORT_DIGITS)} SOL`
const { sniper, whale, smartMoney } = THRESHOLDS

const RULES: Readonly<Record<Tag, string>> = {
  sniper: `bought within ${sniper.slotsMax} slots of the first indexed swap of the token`,
  insider:
    'created the token, or bought in the creation transaction, or in its slot before any unrelated buyer',
  whale: `one buy of ${solText(whale.buyLamports)}, or an open value of ${solText(whale.openLamports)}`,
  smart_money:
    `over ${smartMoney.window} ${smartMoney.closedMin} positions closed, ${smartMoney.winPercent} % of sells won, ` +
    `${solText(smartMoney.realizedLamports)} realized; its ${smartMoney.mintsMax} best tokens`,
}

/** The tags of now, which positions as of a slot do not have. */
export const useTags = (wallet: string): Figures<WalletTags> =>
  useFigures('getWalletTags', `tags ${wallet}`, (read) => read('getWalletTags', { wallet }), {
    everyMs: RENEWED_MS,
  })

export function TagsPanel({ tags }: { tags: Figures<WalletTags> }) {
  const computed = Number(tags.value?.computed_at ?? 0)
  return (
    <Panel
      title="Tags"
      class="tags"
      of={tags}
      note={
        computed > 0 ? (
          <>
            score of 0 to 1, computed <When ms={computed * SECOND_MS} />{' '}
            <HistoryNote of={tags.value} />
          </>
        ) : undefined
      }
    >
      <States of={tags} rows={2} emptyText={emptyTextOf}>
        {(found) => <Groups rows={found.tags} />}
      </States>
    </Panel>
  )
}

function emptyTextOf({ tags, computed_at: computed }: WalletTags): string | undefined {
  if (tags.length > 0) return undefined
  return Number(computed) === 0 ? 'Unknown yet: the tags are being computed.' : 'No tag applies.'
}

function Groups({ rows }: { rows: WalletTags['tags'] }) {
  useSymbols(rows.map(({ mint }) => mint))
  const tags = [...new Set(rows.map(({ tag }) => tag))]
  return (
    <>
      {tags.map((tag) => (
        <section key={tag}>
          <p>
            <strong>{spaced(tag)}</strong> <span class="quiet">{RULES[tag]}</span>
          </p>
          <div class="tokens">
            {rows
              .filter((row) => row.tag === tag)
              .map((row) => (
                <Token key={row.mint} {...row} />
              ))}
          </div>
        </section>
      ))}
    </>
  )
}

/** A token for which the wallet has the tag. */
function Token({ tag, mint, score }: WalletTags['tags'][number]) {
  return (
    <span data-tag={`${tag} ${mint}`}>
      <TokenLink mint={mint} symbol={symbols.value.get(mint)} />{' '}
      <span data-figure="score">
        <Num value={score} as={scoreFigure} />
      </span>{' '}
      <button type="button" class="link" onClick={() => showLots(mint)}>
        lots
      </button>
    </span>
  )
}

const scoreFigure = (value: number): Figure => ({
  text: shortText(value),
  exact: `${plainText(value)} of 1`,
})
