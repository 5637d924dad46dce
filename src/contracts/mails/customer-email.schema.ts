import type { Static } from 'typebox'
import { Choice, described, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id, presentAs, Text, Timestamp } from '../../platform/http/schemas/values.ts'
import { ContractNumber } from '../contract.schema.ts'
import { tenantMailOutcomes } from './tenant-mail-kinds.ts'
import type { ListedTenantMail } from './tenant-mails.store.ts'

/** The words are never shown: they can contain a code or a link that only the tenant may have. */
export const CustomerEmail = ResponseObject('CustomerEmail', 'An e-mail to a customer.', {
  emailId: Id('The id of the e-mail, which its Message-ID begins with.'),
  kind: Text(50, 'What it tells, such as `link` or `contract_in_force`. New kinds may be added.'),
  contractNumber: Nullable(
    described(ContractNumber, 'The contract that it is about; null for an e-mail before the customer had one.'),
  ),
  createdAt: Timestamp('When it was written.'),
  outcome: Nullable(
    Choice(
      tenantMailOutcomes,
      'What became of it; null while it is to be sent. `sent`: the mail server took it. `given_up`: the mail server rejected it or the address, or did not take it for three days. `refused`: somebody at the address said that they are not who was meant. `not_permitted`: you recorded no permission to write to the customer before they have a contract. `test_address`: outside a sandbox, an address that ends in `.example` or `.test`. `obsolete`: there was nobody to send it to any more.',
    ),
  ),
  endedAt: Nullable(Timestamp('When that was known; null while it is to be sent.')),
})

export function presentCustomerEmail(mail: ListedTenantMail): Static<typeof CustomerEmail> {
  return presentAs(CustomerEmail, { ...mail, emailId: mail.mailId })
}
