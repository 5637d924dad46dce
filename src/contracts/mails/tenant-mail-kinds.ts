/** What sending an e-mail of a kind involves, beyond its own words. */
interface TenantMailKind {
  /** Whether the tenant's contract is attached as a PDF. */
  attachesContract: boolean
  /** Whether it is the confirmation of a contract: when it is first sent, the contract records it. */
  confirmsContract: boolean
}

/**
 * The kinds of e-mail that tenants are sent. To send another one, add a row, and call `queueTenantMails` in the
 * transaction of what it tells.
 */
const tenantMailKinds = {
  contract_in_force: { attachesContract: true, confirmsContract: true },
  contract_ending: { attachesContract: false, confirmsContract: false },
} as const satisfies Record<string, TenantMailKind>

export type TenantMailKindName = keyof typeof tenantMailKinds

/** The row of a kind. Throws RangeError for one that a newer version of the program has added. */
export function tenantMailKind(name: string): TenantMailKind {
  if (Object.hasOwn(tenantMailKinds, name)) return tenantMailKinds[name as TenantMailKindName]
  throw new RangeError(`unknown kind of e-mail to tenants: ${name}`)
}
