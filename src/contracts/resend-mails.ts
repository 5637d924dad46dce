import type { Caller } from '../partners/caller.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { requireNotErased } from '../quoting/tenants/load-customer.ts'
import { loadCustomerWithQuoteForUpdate } from './load-quote-of-customer.ts'
import { kindsThat } from './mails/tenant-mail-kinds.ts'
import { insertTenantMails, listLatestMails } from './mails/tenant-mails.store.ts'
import { contractNotInForce } from './termination/contract-to-end.ts'

/** The e-mails about a contract that a customer is sent again. */
export interface ResentMails {
  customerId: Id<'tenant'>
  contractNumber: string
  kinds: string[]
}

/**
 * POST /operator-api/Customers/{customerId}/resend-mails: sends the customer again what they were last sent about their
 * contract, in the same words, to the address that they have now. What is still pending is not doubled, and e-mails
 * with a link, or about one day only, are not sent again. Throws
 * `contract_not_in_force` if nothing was sent, and `customer_erased`.
 */
export function resendMails(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<ResentMails> {
  const { partnerId } = caller
  return inTransaction(db, caller, async (tx) => {
    const { customer } = await loadCustomerWithQuoteForUpdate(tx, cipher, caller, customerId)
    requireNotErased(customer)
    const { contractNumber } = customer
    const mails =
      contractNumber === null
        ? []
        : await listLatestMails(tx, cipher, { partnerId, customerId, contractNumber }, kindsThat('canBeResent'))
    if (contractNumber === null || mails.length === 0)
      throw contractNotInForce('The customer was not sent anything about a contract yet, so nothing can be sent again.')
    const ended = mails.filter(({ isPending }) => !isPending)
    if (ended.length > 0) await insertTenantMails(tx, cipher, caller, ended)
    return { customerId, contractNumber, kinds: mails.map(({ kind }) => kind) }
  })
}
