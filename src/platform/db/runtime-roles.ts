/*
 * The database roles whose rights this program's logins have. They cannot log in, own nothing and do not bypass row-level security. The migrations
 * define what each may do (grants and policies); docs/decisions/0010-row-level-security.md gives the reasons.
 */

/** The role for work on behalf of one partner. Without a partner, it sees no partner's rows. */
export const appRole = 'housebill_app'

/**
 * The role for work across partners: authentication, delivery, jobs, the operator's commands and the operator's API.
 */
export const systemRole = 'housebill_system'

export const runtimeRoles = [appRole, systemRole] as const
export type RuntimeRole = (typeof runtimeRoles)[number]

/**
 * A connection string whose sessions have this role from the start, even after RESET ROLE and DISCARD ALL. For direct
 * connections only, because connection poolers reject start-up options.
 */
export function connectionStringAs(role: RuntimeRole, connectionString: string): string {
  const url = new URL(connectionString)
  const own = url.searchParams.get('options')
  url.searchParams.set('options', [...(own === null ? [] : [own]), `-c role=${role}`].join(' '))
  return url.href
}
