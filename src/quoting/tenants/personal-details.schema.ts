import Type, { type Static, type TSchema } from 'typebox'
import { Choice, described, documentedAs, Nullable, RequestObject } from '../../platform/http/schemas/named.ts'
import {
  DateOnly,
  Email,
  GivenTimestamp,
  LastName,
  PersonName,
  Phone,
  Text,
} from '../../platform/http/schemas/values.ts'
import type { FieldError } from '../../platform/kernel/errors.ts'
import { readInstant, requireInstant } from '../../platform/kernel/instant.ts'
import { toE164 } from '../../platform/kernel/phone.ts'
import { maxTenants } from '../quote-limits.ts'
import { MetadataObject } from '../quotes/quote.schema.ts'
import { type PersonalDetails, splitName, unknownDetails } from './customer.ts'

/**
 * Neither the metadata nor the permission is shown with the details, nor the forwarding address, which only the operator
 * and the person's own export see.
 */
type PublicDetails = Omit<PersonalDetails, 'metadata' | 'contactPermission' | 'forwardingAddress'>

interface Detail {
  /** As partners send it. */
  sent: TSchema
  /** Makes what is stored of it; absent if it is stored as it was sent. */
  stored?: (sent: string) => string
  /** As responses show it. */
  shown: TSchema
  /** Whether the operator's feeds show it: a change then makes a new version of the contract. */
  isInFeeds: boolean
}

const details = {
  firstName: {
    sent: PersonName("The person's first name."),
    stored: trimmed,
    shown: Text(100, "The person's first name; `Erased` after an erasure."),
    isInFeeds: true,
  },
  lastName: {
    sent: LastName("The person's last name."),
    stored: trimmed,
    shown: Text(100, "The person's last name. May be empty."),
    isInFeeds: true,
  },
  email: {
    sent: Email("The person's email address."),
    shown: Text(
      254,
      "The person's email address. Empty until a tenant who was added without one has given it, and after an erasure.",
    ),
    isInFeeds: true,
  },
  phone: {
    sent: Phone("The person's phone number."),
    stored: toE164,
    shown: Text(16, 'The phone number in E.164 format. Empty until you or the tenant have given it.'),
    isInFeeds: true,
  },
  dateOfBirth: {
    sent: DateOnly("The person's date of birth. The customer must be 18 or older."),
    shown: Nullable(
      DateOnly("The person's date of birth, as YYYY-MM-DD; null until personal information is submitted."),
    ),
    isInFeeds: true,
  },
} satisfies Record<keyof PublicDetails, Detail>
type Details = typeof details
const names = Object.keys(details) as (keyof Details)[]

/** The personal details as partners send them. */
export const inputPersonalFields = fieldsOf('sent')
/** The personal details as responses show them. */
export const outputPersonalFields = fieldsOf('shown')

function fieldsOf<Form extends 'sent' | 'shown'>(form: Form): { [Name in keyof Details]: Details[Name][Form] } {
  return Object.fromEntries(names.map((name) => [name, details[name][form]])) as ReturnType<typeof fieldsOf<Form>>
}

function trimmed(name: string): string {
  return name.trim()
}

/** What partners send about a person whom they add to a quote. */
export const newTenantFields = {
  name: PersonName("The tenant's full name."),
  email: Email("The tenant's email address."),
  phone: Type.Optional(Phone("The tenant's phone number. On their pages they see it, and can correct it.")),
  metadata: Type.Optional(MetadataObject),
  contactPermission: Type.Optional(
    RequestObject(
      'ContactPermission',
      'That the tenant allowed you to have this deployment write to them, which is kept as evidence. Without it you can send them their link yourself.',
      {
        givenAt: GivenTimestamp('When the tenant gave it; not in the future.'),
        by: Type.String({
          minLength: 1,
          maxLength: 200,
          format: 'single-line',
          description: 'Who obtained it, or how, such as `booking form` or `Anna, Leeds branch`.',
        }),
      },
    ),
  ),
}
const NewTenant = RequestObject('NewTenant', 'A tenant to add.', {
  ...newTenantFields,
  email: Type.Optional(
    described(newTenantFields.email, "The tenant's email address. Required unless `link` is `returned`."),
  ),
  link: Type.Optional(
    Choice(
      ['returned'],
      'With `returned` we do not send this tenant the first link: you hand it over, in a message or on paper. They then need no `email`: their pages ask for it first, and prove it by a code.',
    ),
  ),
})
export type TenantInput = Static<typeof NewTenant>

/** The tenants whom a request adds to a quote. */
export function NewTenants(description: string) {
  const most = `A quote can have ${maxTenants} in total; beyond that, the request fails with \`too_many_tenants\`.`
  return documentedAs(
    Type.Array(NewTenant, { minItems: 1, maxItems: 1_000 }),
    Type.Array(NewTenant, { minItems: 1, maxItems: maxTenants, description: `${description} ${most}` }),
  )
}

/** The details of a person who is added to a quote. */
export function detailsOfNew({ name, contactPermission: given, link: _, ...details }: TenantInput): PersonalDetails {
  const contactPermission =
    given === undefined ? null : { ...given, givenAt: requireInstant(given.givenAt).toISOString() }
  return { ...unknownDetails, ...splitName(name), ...readPersonalDetails(details), contactPermission }
}

/** How far ahead the clocks of partners may be. */
const clockDifferenceMs = 60_000

/**
 * Returns an error if the permission of a person whom a request adds was given in the future. Accepts any value: the
 * schema rejects what is malformed. `pointer` locates the person.
 */
export function permissionErrors(person: unknown, pointer: string, now: Date): FieldError[] {
  const { contactPermission } = (person ?? {}) as { contactPermission?: { givenAt?: unknown } | null }
  const sent = contactPermission?.givenAt
  const givenAt = typeof sent === 'string' ? readInstant(sent) : undefined
  if (givenAt === undefined || givenAt.getTime() <= now.getTime() + clockDifferenceMs) return []
  const detail = 'Must not be in the future.'
  return [{ pointer: `${pointer}/contactPermission/givenAt`, code: 'out_of_range', detail }]
}

/**
 * `permissionErrors` of each tenant of a request, and an error for each without an address whom no link is returned
 * for. Accepts a body of any shape.
 */
export function tenantsErrors(body: unknown, now: Date): FieldError[] {
  const { tenants } = (body ?? {}) as { tenants?: unknown }
  if (!Array.isArray(tenants)) return []
  return tenants.flatMap((tenant, index) => {
    const { email, link } = (tenant ?? {}) as { email?: unknown; link?: unknown }
    const missing = { pointer: `/tenants/${index}/email`, code: 'required', detail: emailRequired }
    const isMissing = typeof tenant === 'object' && (email ?? null) === null && link !== 'returned'
    return [...(isMissing ? [missing] : []), ...permissionErrors(tenant, `/tenants/${index}`, now)]
  })
}

const emailRequired = 'Required, unless you send link: returned and hand the link over yourself.'

/** What is sent as a forwarding address to remove it. */
export const noAddress = '-'

const Given = Type.Partial(
  Type.Object({ ...inputPersonalFields, metadata: MetadataObject, forwardingAddress: Type.String() }),
)

/**
 * The given details in stored form: trimmed names and the phone number in E.164 format. Leaves out what is not given.
 */
export function readPersonalDetails(given: Static<typeof Given>): Partial<PersonalDetails> {
  const found = names.flatMap((name) => {
    const { stored = (sent: string) => sent }: Detail = details[name]
    const sent = given[name]
    return sent === undefined ? [] : [[name, stored(sent)]]
  })
  const { metadata, forwardingAddress: letters } = given
  return {
    ...Object.fromEntries(found),
    ...(metadata === undefined ? {} : { metadata }),
    ...(letters === undefined ? {} : { forwardingAddress: letters.trim() === noAddress ? '' : letters.trim() }),
  }
}

/** Whether any of these details is one that the operator's feeds show. */
export function areInFeeds(changed: Partial<PersonalDetails>): boolean {
  return (
    changed.forwardingAddress !== undefined ||
    names.some((name) => details[name].isInFeeds && changed[name] !== undefined)
  )
}

/** The details as responses show them: exactly the documented fields. */
export function presentPersonalDetails(personal: PersonalDetails): PublicDetails {
  return Object.fromEntries(names.map((name) => [name, personal[name]])) as PublicDetails
}
