/** Audit of a mint: which powers its authorities still have over its holders, and where that was read. */
import type { TokenAudit } from '../../clients/typescript/generated.ts'
import { useFigures } from '../client/slot/figures.ts'
import { ColumnHeads } from '../layout/column-heads.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { Unknown, When } from '../layout/values.tsx'
import { CHECK_NAMES } from './parts/evidence.tsx'

const RENEWED_MS = 60_000
const SOURCES: Readonly<Record<TokenAudit['onchain_status'], string>> = {
  mint: 'read from a Solana node',
  no_mint: 'the account on chain is no mint',
  absent: 'there is no account on chain',
  unavailable: 'the Solana node does not answer: nothing is known',
  not_configured: 'no Solana node is configured: nothing is known',
}

export function AuditPanel({ mint }: { mint: string }) {
  const audit = useFigures(
    'getTokenAudit',
    `audit ${mint}`,
    (read) => read('getTokenAudit', { mint }),
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel
      title="Audit"
      class="audit"
      of={audit}
      note={audit.value && SOURCES[audit.value.onchain_status]}
    >
      <States of={audit} rows={6}>
        {(found) => (
          <>
            <Checks of={found.checks} />
            <p class="quiet">
              Read <When ms={found.computed_at} />
              {found.onchain !== null &&
                `, program ${found.onchain.program}, extensions: ${found.onchain.extensions.join(', ') || 'none'}`}
            </p>
          </>
        )}
      </States>
    </Panel>
  )
}

function Checks({ of }: { of: TokenAudit['checks'] }) {
  return (
    <table class="factors">
      <ColumnHeads of={['Check', 'Result', 'Power held by']} />
      <tbody>
        {of.map(({ name, passed, detail }) => (
          <tr key={name} data-check={name}>
            <td>{CHECK_NAMES[name] ?? name}</td>
            <td>
              {passed === null ? (
                <Unknown />
              ) : (
                <span class={passed ? 'up' : 'down'}>{passed ? 'passed' : 'failed'}</span>
              )}
            </td>
            <td class="mono">{detail ?? (passed === true ? 'none' : '')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
