import Type, { type Static, type TSchema } from 'typebox'
import { described, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Email, Flag, LastName, Name, PersonName, Phone } from '../platform/http/schemas/values.ts'
import { toE164 } from '../platform/kernel/phone.ts'
import type { PsrDetails as DomainPsrDetails } from '../quoting/tenants/psr.ts'

const categoryFields = {
  code: Type.String({ minLength: 1, maxLength: 10, description: 'A code from `GET /Customers/psr-categories`.' }),
  expiryDate: Type.Optional(DateOnly('When a temporary need ends. Some categories require it.')),
  youngestChildDateOfBirth: Type.Optional(
    DateOnly("The date of birth of the household's youngest child. Some categories require this or `expiryDate`."),
  ),
}

const contactFields = {
  firstName: PersonName("The contact's first name."),
  lastName: LastName("The contact's last name."),
  relationship: Name("The contact's relationship to the customer."),
  phone: Phone("The contact's phone number."),
  email: Type.Optional(Email("The contact's email address.")),
  consentGiven: Type.Literal(true, { type: 'boolean', description: 'Confirms that the contact agreed to be named.' }),
}

const psrFields = <Category extends TSchema, Contact extends TSchema>(category: Category, contact: Contact) => ({
  hasPsr: Flag(
    'Whether the customer needs priority services. If true, categories, consent and a contact are required.',
  ),
  categories: Type.Optional(Type.Array(category, { maxItems: 40, description: "The customer's needs." })),
  authorisedContact: Type.Optional(described(contact, 'A person whom suppliers may contact about the customer.')),
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'A password that visitors at the door give to prove who they are.',
    }),
  ),
  communicationFormat: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The format the customer needs letters in, such as large print or braille.',
    }),
  ),
  consentToShare: Type.Optional(
    Flag(
      'Whether the customer agrees that their energy suppliers and networks get these details. Name each of them where you ask.',
    ),
  ),
  notes: Type.Optional(Type.String({ maxLength: 2_000, description: 'Anything else that suppliers should know.' })),
})

const about = 'Priority Services Register details (health data).'

/** If hasPsr is true, categories, consent and an authorised contact are required. */
export const PsrDetails = RequestObject(
  'PsrDetails',
  about,
  psrFields(
    RequestObject('PsrCategory', "One of the customer's needs.", categoryFields),
    RequestObject('PsrContact', 'A person whom suppliers may contact about the customer.', contactFields),
  ),
)

/** The details as an export shows them. */
export const StoredPsrDetails = ResponseObject(
  'StoredPsrDetails',
  about,
  psrFields(
    ResponseObject('StoredPsrCategory', "One of the customer's needs.", categoryFields),
    ResponseObject('StoredPsrContact', 'A person whom suppliers may contact about the customer.', contactFields),
  ),
)

/**
 * The details in stored form: the contact's phone number in E.164 format. Of who has no needs, nothing else is stored.
 */
export function readPsr(details: Static<typeof PsrDetails>): DomainPsrDetails {
  const { hasPsr, authorisedContact } = details
  if (!hasPsr) return { hasPsr }
  if (authorisedContact === undefined) return details as DomainPsrDetails
  return {
    ...details,
    authorisedContact: { ...authorisedContact, phone: toE164(authorisedContact.phone) },
  } as DomainPsrDetails
}
