import Type, { type Static, type TSchema } from 'typebox'
import { MetadataObject } from '../../platform/http/schemas/metadata.ts'
import { Nullable } from '../../platform/http/schemas/named.ts'
import { DateOnly, Email, LastName, Name, Phone, Text } from '../../platform/http/schemas/values.ts'
import { toE164 } from '../../platform/kernel/phone.ts'
import { type PersonalDetails, splitName, unknownDetails } from './customer.ts'

/** The metadata is not about the person, so requests and responses have it beside the details. */
type PublicDetails = Omit<PersonalDetails, 'metadata'>
type EveryField = Record<keyof PublicDetails, TSchema>

/** The personal details as partners send them. */
export const inputPersonalFields = {
  firstName: Name("The person's first name."),
  lastName: LastName("The person's last name."),
  email: Email("The person's email address."),
  phone: Phone("The person's phone number."),
  dateOfBirth: DateOnly("The person's date of birth. The customer must be 18 or older."),
} as const satisfies EveryField

/** What partners send about a person whom they add to a quote. */
export const newTenantFields = {
  name: Name("The tenant's full name."),
  email: Email("The tenant's email address."),
  metadata: Type.Optional(MetadataObject),
}
const NewTenant = Type.Object(newTenantFields)
export type TenantInput = Static<typeof NewTenant>

/** The details of a person who is added to a quote. */
export function detailsOfNew({ name, ...given }: TenantInput): PersonalDetails {
  return { ...unknownDetails, ...splitName(name), ...readPersonalDetails(given) }
}

/** The personal details as responses show them. */
export const outputPersonalFields = {
  firstName: Text(100, "The person's first name; `Erased` after an erasure."),
  lastName: Text(100, "The person's last name. May be empty."),
  email: Text(254, "The person's email address; empty after an erasure."),
  phone: Text(16, 'The phone number in E.164 format. Empty until personal information is submitted.'),
  dateOfBirth: Nullable(
    DateOnly("The person's date of birth, as YYYY-MM-DD; null until personal information is submitted."),
  ),
} as const satisfies EveryField

const Given = Type.Partial(Type.Object({ ...inputPersonalFields, metadata: MetadataObject }))

/**
 * The given details in stored form: trimmed names and the phone number in E.164 format. Leaves out what is not given.
 */
export function readPersonalDetails(given: Static<typeof Given>): Partial<PersonalDetails> {
  const { firstName, lastName, email, phone, dateOfBirth, metadata } = given
  return {
    ...(firstName === undefined ? {} : { firstName: firstName.trim() }),
    ...(lastName === undefined ? {} : { lastName: lastName.trim() }),
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone: toE164(phone) }),
    ...(dateOfBirth === undefined ? {} : { dateOfBirth }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

/** The details as responses show them: exactly the documented fields. */
export function presentPersonalDetails(personal: PersonalDetails): PublicDetails {
  const { firstName, lastName, email, phone, dateOfBirth } = personal
  return { firstName, lastName, email, phone, dateOfBirth }
}
