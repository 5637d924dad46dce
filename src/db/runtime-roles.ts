/*
 * The database roles whose rights this program's logins have. They cannot log in, own nothing and do not bypass row-level security. The migrations
 * define what each may do (grants and policies); docs/decisions/0010-row-level-security.md gives the reasons.
 */

/** The role for work on behalf of one partner. Without a partner, it sees no partner's rows. */
export const appRole = 'housebill_app'

/** The role for work across partners: authentication, dispatch, delivery, sweeps, cleanup and the operator's commands. */
export const systemRole = 'housebill_system'

/** The role for the operator's own software: reads what was sold across partners. Changes are made with the role for one partner. */
export const operatorRole = 'housebill_operator'

export const runtimeRoles = [appRole, systemRole, operatorRole] as const
export type RuntimeRole = (typeof runtimeRoles)[number]

/** The logins of the pools, by the role whose rights they have. */
export type RuntimeLogins = Record<RuntimeRole, string>

/**
 * A connection string whose sessions have this role from the start, even after RESET ROLE and DISCARD ALL. For direct connections
 * only, because connection poolers reject start-up options.
 */
export function connectionStringAs(role: RuntimeRole, connectionString: string): string {
  const url = new URL(connectionString)
  const own = url.searchParams.get('options')
  url.searchParams.set('options', [...(own === null ? [] : [own]), `-c role=${role}`].join(' '))
  return url.href
}
