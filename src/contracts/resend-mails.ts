import type { Caller } from '../partners/caller.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { requireNotErased } from '../quoting/tenants/load-customer.ts'
import { loadCustomerWithQuoteForUpdate } from './load-quote-of-customer.ts'
import { listLatestMails, queueTenantMails } from './mails/tenant-mails.store.ts'
import { contractNotInForce } from './termination/contract-to-end.ts'

/** The e-mails about a contract that a customer is sent again. */
export interface ResentMails {
  customerId: Id<'tenant'>
  contractNumber: string
  kinds: string[]
}

/**
 * POST /operator-api/Customers/{customerId}/resend-mails: sends the customer again what they were last sent about their
 * contract, in the same words, to the address that they have now. What is still pending is not doubled. Throws
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
      contractNumber === null ? [] : await listLatestMails(tx, cipher, { partnerId, customerId, contractNumber })
    if (contractNumber === null || mails.length === 0)
      throw contractNotInForce('The customer was not sent anything about a contract yet, so nothing can be sent again.')
    await queueTenantMails(
      tx,
      cipher,
      caller,
      mails.filter(({ isPending }) => !isPending),
    )
    return { customerId, contractNumber, kinds: mails.map(({ kind }) => kind) }
  })
}
