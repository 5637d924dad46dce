import type { Id } from '../../platform/kernel/ids.ts'

/**
 * The account to which the operator's own webhooks belong, so that the webhook engine treats them like any partner's.
 * It has no credentials, sells nothing, and is never listed as a partner.
 */
export const operatorAccountId: Id<'partner'> = `partner_${'0'.repeat(26)}`
