import type { Caller } from '../../partners/caller.ts'
import { listPeople } from '../../people/people.store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { comparableEmail, domainOf, isSharedMailbox } from '../../platform/kernel/email.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { fullName, type PersonalDetails } from './customer.ts'
import { listProvedAddresses, updateEmailDoubts } from './customers.store.ts'

/** A tenant whose address is new, and where the request has it. */
interface WithEmail {
  customerId: Id<'tenant'>
  personal: PersonalDetails
  pointer: string
}

/**
 * Checks the addresses that tenants, who are stored, now have. Throws `validation_failed` for one of the partner's
 * people: whoever sells must not read what only a tenant may. What only looks like that bars nobody, and waits for the
 * operator (`email_at_partner`, `email_of_another`).
 */
export async function checkEmails(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, now }: Pick<Caller, 'partnerId' | 'now'>,
  tenants: readonly WithEmail[],
): Promise<void> {
  const given = tenants.filter(({ personal }) => personal.email !== '')
  if (given.length === 0) return
  const [people, proved] = await Promise.all([
    listPeople(tx, cipher, partnerId),
    listProvedAddresses(
      tx,
      cipher,
      { partnerId, now },
      given.map(({ personal }) => personal.email),
    ),
  ])
  const own = people.flatMap(({ email }) => (email === null ? [] : [comparableEmail(email)]))
  const fields = given.flatMap(({ personal, pointer }) =>
    own.includes(comparableEmail(personal.email))
      ? [{ pointer, code: 'not_allowed' as const, detail: isOfPeople }]
      : [],
  )
  if (fields.length > 0) throw invalidFields(fields)
  const domains = new Set(own.filter((email) => !isSharedMailbox(email)).map(domainOf))
  for (const { customerId, personal } of given) {
    const isAtPartner = domains.has(domainOf(personal.email))
    const isOfAnother = proved.some((other) => other.customerId !== customerId && isAnother(other.personal, personal))
    if (isAtPartner || isOfAnother)
      await updateEmailDoubts(tx, { partnerId, now }, customerId, { isAtPartner, isOfAnother })
  }
}

const isOfPeople =
  'This is the address of somebody who works with these households. A tenant needs an address that only they read.'

/** Whether two tenants have one address and different names. */
function isAnother(one: PersonalDetails, other: PersonalDetails): boolean {
  const name = (person: PersonalDetails) => comparableEmail(fullName(person)).replaceAll(/[^\p{L}]/gu, '')
  return comparableEmail(one.email) === comparableEmail(other.email) && name(one) !== name(other)
}
