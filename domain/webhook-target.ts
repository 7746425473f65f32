/** Policy of an installation on private addresses: whether its webhooks may go there, and without TLS. */

export const PRIVATE_POLICIES = ['refuse', 'allow'] as const
export type PrivatePolicy = (typeof PRIVATE_POLICIES)[number]
