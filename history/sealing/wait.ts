/** Why the sealer does not seal a run of slots yet. */

export const WAIT_CAUSES = [
  'unpublished_commit',
  'pool_repair',
  'retraction',
  'waiting_session',
  'older_version',
  'other_sealer',
] as const
export type WaitCause = (typeof WAIT_CAUSES)[number]

/** `stopping`: the signal aborted. `reason`: for operators. */
export type Wait = { readonly cause: WaitCause | 'stopping'; readonly reason: string }
