import Type from 'typebox'
import { isAddressRange } from '../../partners/managing/address-range.ts'
import { addCredential, removeCredential, rotateCredential } from '../../partners/managing/manage-credentials.ts'
import { scopes } from '../../partners/scopes.ts'
import { Choice, RequestObject } from '../../platform/http/schemas/named.ts'
import { Flag, Name, WholeNumber } from '../../platform/http/schemas/values.ts'
import { DomainError, type FieldError } from '../../platform/kernel/errors.ts'
import { operatorRoute } from '../http/operator-route.ts'
import { IssuedCredentialObject, presentIssuedCredential, RemovedCredentialObject } from './partner.schema.ts'

const common = {
  tag: 'Partners',
  scope: 'partners:write',
  method: 'POST',
  idDescription: 'The id of the partner, or of its credentials',
} as const

export const addPartnerCredentialRoute = operatorRoute({
  ...common,
  operationId: 'addPartnerCredential',
  path: '/Partners/{partnerId}/credentials',
  summary: 'Add credentials to a partner',
  description:
    'Makes credentials with the scopes that a program needs. The secret is shown once. To change scopes, add new credentials and remove the old ones. Only without an external identity provider, which would keep the secret: then use `housebill partner add-credential`.',
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
    allowedFrom: Type.Optional(
      Type.Array(Type.String({ minLength: 2, maxLength: 100, description: 'An IP address or CIDR range.' }), {
        minItems: 1,
        maxItems: 100,
        description: 'From where they may be used. Leave it out for anywhere.',
      }),
    ),
  }),
  refine: rangeErrors,
  reply: IssuedCredentialObject,
  errors: ['validation_failed', 'partner_disabled'],
  handle: async (deps, { requestKey }, { parameter, body: { scopes: chosen, name, expiresInDays, allowedFrom } }) => {
    if ('external' in deps.tokenSource)
      throw new DomainError(
        'validation_failed',
        'An external identity provider keeps the secrets. Add the client there, and register its client id with "housebill partner add-credential --client-id".',
      )
    const lifetimeSeconds = expiresInDays === undefined ? undefined : expiresInDays * 86_400
    const wanted = { scopes: chosen, name, lifetimeSeconds, allowedFrom }
    const issued = await addCredential(deps, parameter('partnerId'), wanted, requestKey)
    if (issued === 'client_id_taken') throw new Error('a new client id is taken already')
    return issued
  },
  present: presentIssuedCredential,
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
      Flag('Whether to end every token issued until now, within two seconds. Defaults to false.'),
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
