import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import type { ContractDependencies } from '../contract-dependencies.ts'
import { envelopeLines } from '../facts-for-contract.ts'
import { queueTenantMails } from '../mails/tenant-mails.store.ts'
import type { ContractToEnd } from './contract-to-end.ts'
import { type ReceiptFacts, writeReceipt } from './write-receipt.ts'

/** What receipts are made from. */
export type ReceiptDependencies = Pick<ContractDependencies, 'cipher' | 'operator' | 'realm' | 'confirmsByDefault'>

/**
 * Sends the tenant a receipt for the end of their contract, whoever acted: their partner or the operator. Does nothing
 * in a deployment that sends no e-mail. The caller holds the quote's lock.
 */
export async function sendReceipt(
  tx: Tx,
  { cipher, operator, realm, confirmsByDefault }: ReceiptDependencies,
  { partnerId, now }: Pick<Caller, 'partnerId' | 'now'>,
  { quote, customer, contract: { customerId, contractNumber } }: ContractToEnd,
  told: Pick<ReceiptFacts, 'endReason' | 'lastDay' | 'notice' | 'settlement'>,
): Promise<void> {
  // The operator confirms contracts by default exactly where e-mail is set up.
  if (confirmsByDefault !== 'operator') return
  const content = writeReceipt({
    ...told,
    ...{ contractNumber, operator, environment: realm },
    tenantName: fullName(customer.personal),
    addressLines: envelopeLines(quote.address),
  })
  await queueTenantMails(tx, cipher, { partnerId, now }, [
    { kind: 'contract_ending', customerId, contractNumber, content },
  ])
}
