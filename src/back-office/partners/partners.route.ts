import Type from 'typebox'
import {
  changePartner,
  disablePartner,
  listManagedPartners,
  registerPartner,
  setSuspended,
} from '../../partners/managing/manage-partners.ts'
import { changedSettings, newSettings, noSettings } from '../../partners/partner-settings.schema.ts'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { Name } from '../../platform/http/schemas/values.ts'
import { operatorRoute } from '../http/operator-route.ts'
import { PartnerList, PartnerObject, presentPartner } from './partner.schema.ts'

const reads = { tag: 'Partners', scope: 'partners:read' } as const
const writes = {
  tag: 'Partners',
  scope: 'partners:write',
  idDescription: 'The id of the partner',
  reply: PartnerObject,
} as const

const PartnerName = Name('The name of the partner.')

export const listPartnersRoute = operatorRoute({
  ...reads,
  operationId: 'listPartners',
  method: 'GET',
  path: '/Partners',
  summary: 'List partners',
  description: 'Returns every partner with its credentials, never with a secret.',
  reply: PartnerList,
  handle: listManagedPartners,
  present: (partners) => ({ data: partners.map(presentPartner) }),
})

export const createPartnerRoute = operatorRoute({
  ...writes,
  operationId: 'createPartner',
  method: 'POST',
  path: '/Partners',
  summary: 'Create a partner',
  description:
    'Creates a partner without credentials; add some next. With an `Idempotency-Key`, repeating the call returns the same partner.',
  body: RequestObject('CreatePartnerRequest', 'The partner.', {
    name: PartnerName,
    ...newSettings,
  }),
  errors: ['validation_failed'],
  handle: (deps, { requestKey }, { body: { name, ...given } }) =>
    registerPartner(deps, { name: name.trim(), ...noSettings, ...given }, requestKey),
  present: presentPartner,
})

export const changePartnerRoute = operatorRoute({
  ...writes,
  operationId: 'changePartner',
  method: 'PATCH',
  path: '/Partners/{partnerId}',
  summary: 'Change a partner',
  description: 'Changes what you send. Limits apply within two seconds.',
  body: RequestObject(
    'ChangePartnerRequest',
    'What to change.',
    {
      name: Type.Optional(PartnerName),
      ...changedSettings,
    },
    { minProperties: 1 },
  ),
  errors: ['validation_failed'],
  handle: (deps, _caller, { parameter, body: { name, ...changes } }) =>
    changePartner(deps, parameter('partnerId'), { ...changes, name: name?.trim() }),
  present: presentPartner,
})

export const suspendPartnerRoute = operatorRoute({
  ...writes,
  operationId: 'suspendPartner',
  method: 'POST',
  path: '/Partners/{partnerId}/suspend',
  summary: 'Suspend a partner',
  description:
    'Rejects every call of the partner with 403 `partner_suspended` within two seconds, until it is resumed. Deliveries, payments and contracts go on. Repeating the call is harmless.',
  errors: ['partner_disabled'],
  handle: (deps, _caller, { parameter }) => setSuspended(deps, parameter('partnerId'), true),
  present: presentPartner,
})

export const disablePartnerRoute = operatorRoute({
  ...writes,
  operationId: 'disablePartner',
  method: 'POST',
  path: '/Partners/{partnerId}/disable',
  summary: 'Disable a partner',
  description:
    'Rejects the credentials and tokens of the partner within seconds. This cannot be undone. Its contracts and payments go on, and you serve its customers. Repeating the call is harmless.',
  handle: (deps, _caller, { parameter }) => disablePartner(deps, parameter('partnerId')),
  present: presentPartner,
})

export const resumePartnerRoute = operatorRoute({
  ...writes,
  operationId: 'resumePartner',
  method: 'POST',
  path: '/Partners/{partnerId}/resume',
  summary: 'Resume a partner',
  description: 'Accepts the calls of a suspended partner again within two seconds. Repeating the call is harmless.',
  errors: ['partner_disabled'],
  handle: (deps, _caller, { parameter }) => setSuspended(deps, parameter('partnerId'), false),
  present: presentPartner,
})
