import Type, { type Static } from 'typebox'
import type { IssuedCredential } from '../../partners/managing/manage-credentials.ts'
import type { ManagedPartner } from '../../partners/managing/manage-partners.ts'
import { settingsOf, shownSettings } from '../../partners/partner-settings.schema.ts'
import { scopes } from '../../partners/scopes.ts'
import { Choice, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { ClientId, DateOnly, Flag, Id, presentAs, Text, Timestamp } from '../../platform/http/schemas/values.ts'

const Scopes = Type.Array(Choice(scopes, 'A scope.'), { maxItems: 100, description: 'What they may do.' })
const AllowedFrom = Nullable(
  Type.Array(Text(100, 'An IP address or a range such as 192.0.2.0/24.'), {
    maxItems: 100,
    description: 'From where they may be used; null for anywhere.',
  }),
)

const CredentialObject = ResponseObject('PartnerCredential', 'Credentials of a partner, without their secret.', {
  clientId: ClientId,
  name: Nullable(Text(100, 'The program that uses them; null if it has no name.')),
  scopes: Scopes,
  createdAt: Timestamp('When they were made.'),
  expiresAt: Nullable(Timestamp('When they expire; null for never.')),
  previousSecretUntil: Nullable(Timestamp('Until when the previous secret works too; null if it does not.')),
  allowedFrom: AllowedFrom,
  lastTokenOn: Nullable(DateOnly('The last day in UTC on which a token was issued; null before the first.')),
})

export const PartnerObject = ResponseObject('OperatorPartner', 'A partner.', {
  partnerId: Id('The id of the partner.'),
  name: Text(200, 'The name of the partner.'),
  status: Choice(
    ['active', 'suspended', 'disabled'],
    '`suspended`: every call is rejected with 403 `partner_suspended`, and everything else goes on. `disabled`: tokens are rejected, which cannot be undone.',
  ),
  ...shownSettings,
  createdAt: Timestamp('When it was created.'),
  suspendedAt: Nullable(Timestamp('When it was suspended; null if it is not.')),
  credentials: Type.Array(CredentialObject, { maxItems: 10_000, description: 'Its credentials, oldest first.' }),
})

export const PartnerList = ResponseObject('OperatorPartnerList', 'All partners.', {
  data: Type.Array(PartnerObject, { maxItems: 100_000, description: 'The partners, oldest first.' }),
})

export function presentPartner(partner: ManagedPartner): Static<typeof PartnerObject> {
  const { suspendedAt, disabledAt, credentials } = partner
  return presentAs(PartnerObject, {
    ...partner,
    ...settingsOf(partner),
    status: disabledAt !== null ? 'disabled' : suspendedAt !== null ? 'suspended' : 'active',
    credentials: credentials.map((each) => presentAs(CredentialObject, each)),
  })
}

export const IssuedCredentialObject = ResponseObject('IssuedPartnerCredential', 'Credentials, with their secret.', {
  partnerId: Id('The id of the partner.'),
  clientId: ClientId,
  clientSecret: Nullable(
    Text(
      200,
      'The secret. It is shown once: null if this call repeats an earlier one with the same `Idempotency-Key`. If you lost it, replace it.',
    ),
  ),
  expiresAt: Nullable(Timestamp('When the credentials expire; null for never.')),
  previousSecretUntil: Nullable(Timestamp('Until when the previous secret works too; null if it does not.')),
})

export function presentIssuedCredential(issued: IssuedCredential): Static<typeof IssuedCredentialObject> {
  return presentAs(IssuedCredentialObject, issued)
}

export const ChangedCredentialObject = ResponseObject('ChangedPartnerCredential', 'Credentials that were changed.', {
  clientId: ClientId,
  allowedFrom: AllowedFrom,
})

export const RemovedCredentialObject = ResponseObject('RemovedPartnerCredential', 'Credentials that were removed.', {
  clientId: ClientId,
  removed: Flag('Always true.'),
})
