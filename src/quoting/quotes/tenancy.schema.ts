import Type from 'typebox'
import { Choice, Nullable, named, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly } from '../../platform/http/schemas/values.ts'
import { MaybeFlag, optionalFields } from '../../properties/meter-facts/meter-facts.schema.ts'
import { type GivenTenancy, tenancyTypes } from './tenancy.ts'

const fields = {
  type: Choice(
    tenancyTypes,
    'The kind of tenancy: `assured_periodic` is of England, `occupation_contract` of Wales, and `private_residential` of Scotland.',
  ),
  joint: MaybeFlag(
    'Whether the tenants hold one tenancy together. If unknown, everything counts for each person alone.',
  ),
  students: MaybeFlag('Whether the tenants are students.'),
  startedOn: Nullable(DateOnly('The first day of the tenancy, or null.')),
  fixedUntil: Nullable(DateOnly('The last day of its fixed term, or null.')),
  expectedUntil: Nullable(DateOnly("The day on which you expect it to end: a CRM's end of tenancy. Or null.")),
}

/** What is known of the tenancy of a household, in responses. */
export const TenancyObject = ResponseObject('Tenancy', "What is known of the household's tenancy.", fields)

/** A tenancy in a request: what is not sent stays as it is. */
export const GivenTenancyObject = named(
  'TenancyInput',
  Type.Unsafe<GivenTenancy>(
    optionalFields(fields, 'What you know of the tenancy. Fields you leave out stay as they are; null removes a date.'),
  ),
)
