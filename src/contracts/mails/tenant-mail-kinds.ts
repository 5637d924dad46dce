/** What sending an e-mail of a kind involves, beyond its words (`tenant-mail-words.ts`). */
interface TenantMailKind {
  /** Whether the tenant's contract is attached as a PDF. */
  attachesContract?: true
  /** Whether it is the confirmation of a contract: when it is first sent, the contract records it. */
  confirmsContract?: true
  /** Whether the partner sends it instead, if the operator recorded that the partner sends the confirmations. */
  partnerMaySend?: true
  /**
   * Whether it is written without a permission before there is a contract, because the tenant has just asked for it.
   */
  isAskedFor?: true
  /** Whether it is there for its link to the tenant's pages, so that another one makes it needless. */
  isLink?: true
  /** For how long it is of use. */
  usefulMinutes?: number
  /** Whether it is one of the few e-mails that remind a tenant who has not signed. */
  isReminder?: true
  /** Whether it confirms what the tenant did, and so still goes to who is erased before it has left. */
  isReceipt?: true
  /** Whether the operator can have it sent again as it was. */
  canBeResent?: true
}

/**
 * The kinds of e-mail that tenants are sent. To send another one, add a row, its words, and a call of `queueMails` in
 * the transaction of what it tells, or a row in `due-mails.ts` if it tells that a day has come.
 */
const tenantMailKinds = {
  link: { isLink: true },
  /** A fresh link, for which the tenant asked at the permanent address. */
  fresh_link: { isAskedFor: true, isLink: true },
  confirmation_code: { isAskedFor: true, usefulMinutes: 10 },
  nudge: { isReminder: true },
  lock_ending: { isReminder: true },
  asked_to_lead: {},
  card_declined: {},
  contract_in_force: { attachesContract: true, confirmsContract: true, canBeResent: true },
  payment_due: {},
  contract_ending: { canBeResent: true },
  tenancy_end_question: {},
  tenancy_end_outcome: {},
  cancelled: { canBeResent: true, isReceipt: true },
  notice_received: { canBeResent: true, isReceipt: true },
  end_taken_back: { canBeResent: true },
  start_moved: {},
  place_taken_over: { partnerMaySend: true, canBeResent: true },
  details_changed: { partnerMaySend: true },
  email_changed: { partnerMaySend: true },
  card_changed: { partnerMaySend: true },
  payment_put_back: { canBeResent: true },
  payment_waived: { canBeResent: true },
  dates_changed: { partnerMaySend: true, canBeResent: true },
  supply_changed: { canBeResent: true },
  moving_in: {},
  share_ended: {},
  price_withdrawn: {},
} as const satisfies Record<string, TenantMailKind>

export type TenantMailKindName = keyof typeof tenantMailKinds
/**
 * All kinds. The database has the same list, and a test compares them.
 *
 * @internal
 */
export const tenantMailKindNames = Object.keys(tenantMailKinds) as TenantMailKindName[]

/** The row of a kind. Throws RangeError for one that a newer version of the program has added. */
export function tenantMailKind(name: string): TenantMailKind {
  if (Object.hasOwn(tenantMailKinds, name)) return tenantMailKinds[name as TenantMailKindName]
  throw new RangeError(`unknown kind of e-mail to tenants: ${name}`)
}

/** The kinds of which this is true. */
export function kindsThat(has: Exclude<keyof TenantMailKind, 'usefulMinutes'>): TenantMailKindName[] {
  return tenantMailKindNames.filter((name) => tenantMailKind(name)[has] === true)
}

/**
 * How an e-mail ended.
 * - `sent`: the mail server took it
 * - `given_up`: the mail server rejected it or its address, or did not take it for three days
 * - `refused`: somebody said at this address that they are not who was meant
 * - `not_permitted`: nobody recorded that the tenant may be written to before they have a contract
 * - `test_address`: outside a sandbox, an address that cannot exist, which ends in `.example` or `.test`
 * - `obsolete`: there is nobody to send it to any more, or what it tells is no longer true
 */
export const tenantMailOutcomes = ['sent', 'given_up', 'refused', 'not_permitted', 'test_address', 'obsolete'] as const
export type TenantMailOutcome = (typeof tenantMailOutcomes)[number]
