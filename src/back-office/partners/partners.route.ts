import Type from 'typebox'
import { isAddressRange } from '../../partners/managing/address-range.ts'
import {
  addCredential,
  removeCredential,
  rotateCredential,
  setAllowedFrom,
} from '../../partners/managing/manage-credentials.ts'
import {
  changePartner,
  disablePartner,
  listManagedPartners,
  registerPartner,
  setSuspended,
} from '../../partners/managing/manage-partners.ts'
import { changedSettings, newSettings, noSettings } from '../../partners/partner-settings.schema.ts'
import { scopes } from '../../partners/scopes.ts'
import { Choice, Nullable, RequestObject } from '../../platform/http/schemas/named.ts'
import { Flag, Name, WholeNumber } from '../../platform/http/schemas/values.ts'
import { type FieldError, invalidFields } from '../../platform/kernel/errors.ts'
import { operatorRoute } from '../http/operator-route.ts'
import {
  ChangedCredentialObject,
  IssuedCredentialObject,
  PartnerList,
  PartnerObject,
  presentIssuedCredential,
  presentPartner,
  RemovedCredentialObject,
} from './partner.schema.ts'

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

const common = {
  tag: 'Partners',
  scope: 'partners:write',
  method: 'POST',
  idDescription: 'The id of the partner, or of its credentials',
} as const

function Ranges(description: string) {
  const Range = Type.String({ minLength: 2, maxLength: 100, description: 'An IP address or CIDR range.' })
  return Type.Array(Range, { minItems: 1, maxItems: 100, description })
}

export const addPartnerCredentialRoute = operatorRoute({
  ...common,
  operationId: 'addPartnerCredential',
  path: '/Partners/{partnerId}/credentials',
  summary: 'Add credentials to a partner',
  description:
    'Makes credentials with the scopes that a program needs. The secret is shown once. To change scopes, add new credentials and remove the old ones. An external identity provider keeps the secret itself: add the client there first, and send its `clientId`.',
  body: RequestObject('AddPartnerCredentialRequest', 'What the credentials may do.', {
    scopes: Type.Array(Choice(scopes, 'A scope.'), {
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
      description: 'What they may do.',
    }),
    name: Type.Optional(Name('The program that uses them.')),
    expiresInDays: Type.Optional(
      WholeNumber({ minimum: 1, maximum: 3_650, description: 'How long they work. Leave it out for no end.' }),
    ),
    clientId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$',
        description: 'The client id at the external identity provider. Leave it out to get a new one with a secret.',
      }),
    ),
    allowedFrom: Type.Optional(Ranges('From where they may be used. Leave it out for anywhere.')),
  }),
  refine: rangeErrors,
  reply: IssuedCredentialObject,
  errors: ['validation_failed', 'partner_disabled'],
  handle: async (deps, { requestKey }, { parameter, body: { scopes: chosen, name, expiresInDays, ...given } }) => {
    const detail = 'An external identity provider keeps the secrets. Add the client there, and send its client id.'
    if ('external' in deps.tokenSource && given.clientId === undefined)
      throw invalidFields([{ pointer: '/clientId', code: 'required', detail }])
    const lifetimeSeconds = expiresInDays === undefined ? undefined : expiresInDays * 86_400
    const wanted = { ...given, scopes: chosen, name, lifetimeSeconds }
    return addCredential(deps, parameter('partnerId'), wanted, requestKey)
  },
  present: presentIssuedCredential,
})

export const changePartnerCredentialRoute = operatorRoute({
  ...common,
  method: 'PATCH',
  operationId: 'changePartnerCredential',
  path: '/Partners/{partnerId}/credentials/{clientId}',
  summary: 'Change from where credentials may be used',
  description: 'Token calls follow at once, other calls within two seconds.',
  body: RequestObject('ChangePartnerCredentialRequest', 'What to change.', {
    allowedFrom: Nullable(Ranges('From where they may be used; null for anywhere.')),
  }),
  refine: rangeErrors,
  reply: ChangedCredentialObject,
  errors: ['validation_failed'],
  handle: async (deps, _caller, { parameter, body: { allowedFrom } }) => {
    const clientId = parameter('clientId')
    await setAllowedFrom(deps, { partnerId: parameter('partnerId'), clientId }, allowedFrom)
    return { clientId, allowedFrom }
  },
  present: (changed) => changed,
})

export const rotatePartnerCredentialRoute = operatorRoute({
  ...common,
  operationId: 'rotatePartnerCredential',
  path: '/Partners/{partnerId}/credentials/{clientId}/rotate',
  summary: 'Replace a secret',
  description:
    'Gives a client id a new secret, which is shown once. Send an `Idempotency-Key`, so that a repeated call does not replace the secret a second time.',
  body: RequestObject('RotatePartnerCredentialRequest', 'What becomes of the old secret.', {
    overlapSeconds: Type.Optional(
      WholeNumber({
        minimum: 0,
        maximum: 2_592_000,
        description: 'How long the old secret works too. Defaults to 0: it stops working at once.',
      }),
    ),
    endTokens: Type.Optional(
      Flag(
        'Whether to end every token issued until now, within two seconds. Defaults to false. With an overlap, the old secret gets new tokens until it ends.',
      ),
    ),
  }),
  reply: IssuedCredentialObject,
  errors: ['validation_failed'],
  handle: (deps, { requestKey }, { parameter, body: { overlapSeconds = 0, endTokens = false } }) =>
    rotateCredential(
      deps,
      { partnerId: parameter('partnerId'), clientId: parameter('clientId') },
      { overlapSeconds, endsTokens: endTokens },
      requestKey,
    ),
  present: presentIssuedCredential,
})

export const removePartnerCredentialRoute = operatorRoute({
  ...common,
  operationId: 'removePartnerCredential',
  path: '/Partners/{partnerId}/credentials/{clientId}/remove',
  summary: 'Remove credentials',
  description: 'Ends credentials: their secret at once, their tokens within two seconds. This cannot be undone.',
  reply: RemovedCredentialObject,
  handle: async (deps, _caller, { parameter }) => {
    const clientId = parameter('clientId')
    await removeCredential(deps, { partnerId: parameter('partnerId'), clientId })
    return clientId
  },
  present: (clientId) => ({ clientId, removed: true }),
})

function rangeErrors(body: unknown): FieldError[] {
  const ranges: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'allowedFrom') : undefined
  if (!Array.isArray(ranges)) return []
  return ranges.flatMap((range: unknown, index) =>
    typeof range !== 'string' || isAddressRange(range)
      ? []
      : [
          {
            pointer: `/allowedFrom/${index}`,
            code: 'wrong_format',
            detail: 'This is neither an IP address nor a range such as 192.0.2.0/24.',
          },
        ],
  )
}
