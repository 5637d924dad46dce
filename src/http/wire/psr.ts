import Type, { type Static } from 'typebox'
import { toE164 } from '../../domain/customers/phone.ts'
import type { PsrDetails as StoredPsrDetails } from '../../domain/customers/psr.ts'
import { DateOnly, Email, Name, Phone } from './values.ts'

const Category = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 10, description: 'A code from `GET /Customers/psr-categories`.' }),
    expiryDate: Type.Optional(DateOnly),
    youngestChildDateOfBirth: Type.Optional(DateOnly),
  },
  { additionalProperties: false },
)

const AuthorisedContact = Type.Object(
  {
    firstName: Name("The person's first name."),
    lastName: Name("The person's last name."),
    relationship: Name("The contact's relationship to the customer."),
    phone: Phone,
    email: Type.Optional(Email),
    consentGiven: Type.Literal(true, { description: 'Confirms that the contact agreed to be named.' }),
  },
  { additionalProperties: false },
)

/**
 * Priority Services Register details (health data). If hasPsr is true, categories, consent and an authorised contact are required.
 */
export const PsrDetails = Type.Object(
  {
    hasPsr: Type.Boolean(),
    categories: Type.Optional(Type.Array(Category, { maxItems: 40 })),
    authorisedContact: Type.Optional(AuthorisedContact),
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
    consentToShare: Type.Optional(Type.Boolean()),
    notes: Type.Optional(Type.String({ maxLength: 2_000 })),
  },
  { additionalProperties: false },
)

/** The details in stored form: the contact's phone number in E.164 format. */
export function readPsr(details: Static<typeof PsrDetails>): StoredPsrDetails {
  const { authorisedContact } = details
  if (authorisedContact === undefined) return details as StoredPsrDetails
  return {
    ...details,
    authorisedContact: { ...authorisedContact, phone: toE164(authorisedContact.phone) },
  } as StoredPsrDetails
}
