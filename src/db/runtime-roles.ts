/*
 * The roles the program works as. Neither can log in, owns anything or bypasses row-level security; what each may do is in the
 * migrations (grants and policies), and docs/decisions/0010-row-level-security.md says why.
 */

/** Works for one partner at a time, or for none: then it finds nothing that belongs to a partner. */
export const appRole = 'housebill_app'

/** Does what goes across partners: who calls, dispatch, delivery, sweeps, housekeeping, the operator's commands. */
export const systemRole = 'housebill_system'

export type RuntimeRole = typeof appRole | typeof systemRole
export const runtimeRoles: readonly RuntimeRole[] = [appRole, systemRole]

/** The setting that policies compare `partner_id` with. Only ever set for the length of a transaction. */
export const partnerSetting = 'housebill.partner_id'

/** The setting that the audit log's triggers read: on whose behalf the transaction works. */
export const originSetting = 'housebill.origin'

/**
 * The same database with every session of it in this role from its first moment on, also after RESET ROLE and DISCARD ALL.
 * For direct connections: poolers refuse start-up options.
 */
export function connectionStringAs(role: RuntimeRole, connectionString: string): string {
  const url = new URL(connectionString)
  const own = url.searchParams.get('options')
  url.searchParams.set('options', [...(own === null ? [] : [own]), `-c role=${role}`].join(' '))
  return url.href
}
